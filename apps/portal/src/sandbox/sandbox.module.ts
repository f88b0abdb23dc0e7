import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { SystemClock } from '@paycode/timing';
import { SandboxController } from './http/sandbox.controller';
import { SandboxCalls } from './sandbox-calls';
import { SandboxLimits } from './sandbox-limits';
import { SandboxEnvironment, SandboxService } from './sandbox.service';

export interface SandboxOptions {
  environment: 'sandbox' | 'production';
  paymentSimulatorUrl: string;
}

/** Rehearsals of merchants, outside production. */
@Module({})
export class SandboxModule implements OnApplicationShutdown {
  constructor(@Inject(SandboxCalls) private readonly calls: SandboxCalls) {}

  static register({ environment, paymentSimulatorUrl }: SandboxOptions): DynamicModule {
    return {
      module: SandboxModule,
      controllers: [SandboxController],
      providers: [
        { provide: SandboxEnvironment, useFactory: () => new SandboxEnvironment(environment) },
        { provide: SandboxLimits, useFactory: () => new SandboxLimits(new SystemClock()) },
        {
          provide: SandboxCalls,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner) =>
            new SandboxCalls(
              new InternalClient({ baseUrl: paymentSimulatorUrl, audience: 'payment-simulator', signer, socketsMax: 4 }),
            ),
        },
        SandboxService,
      ],
    };
  }

  onApplicationShutdown(): void {
    this.calls.client.close();
  }
}
