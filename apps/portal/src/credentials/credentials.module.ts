import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { FourEyesModule } from '../four-eyes';
import { BearerSwitchService, SwitchRules } from './bearer-switch.service';
import { CredentialsService } from './credentials.service';
import { AuthSessionCalls } from './auth-session-calls';
import { BearerController } from './http/bearer.controller';
import { CredentialsController } from './http/credentials.controller';
import { TwoPersonSwitchService } from './two-person-switch.service';

/** The account of a merchant's or PSP's programs. */
@Module({})
export class CredentialsModule implements OnApplicationShutdown {
  constructor(@Inject(AuthSessionCalls) private readonly calls: AuthSessionCalls) {}

  static register({ authSessionUrl, isProduction }: { authSessionUrl: string; isProduction: boolean }): DynamicModule {
    return {
      module: CredentialsModule,
      imports: [FourEyesModule],
      controllers: [CredentialsController, BearerController],
      providers: [
        {
          provide: AuthSessionCalls,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner) =>
            new AuthSessionCalls(
              new InternalClient({ baseUrl: authSessionUrl, audience: 'auth-session', signer, socketsMax: 4 }),
            ),
        },
        CredentialsService,
        BearerSwitchService,
        TwoPersonSwitchService,
        { provide: SwitchRules, useFactory: () => new SwitchRules(isProduction) },
      ],
    };
  }

  onApplicationShutdown(): void {
    this.calls.client.close();
  }
}
