import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { CredentialsService } from './credentials.service';
import { AuthSessionCalls } from './auth-session-calls';
import { CredentialsController } from './http/credentials.controller';

/** The account of a merchant's or PSP's programs. */
@Module({})
export class CredentialsModule implements OnApplicationShutdown {
  constructor(@Inject(AuthSessionCalls) private readonly calls: AuthSessionCalls) {}

  static register({ authSessionUrl }: { authSessionUrl: string }): DynamicModule {
    return {
      module: CredentialsModule,
      controllers: [CredentialsController],
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
      ],
    };
  }

  onApplicationShutdown(): void {
    this.calls.client.close();
  }
}
