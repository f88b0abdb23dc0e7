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
  webhookDispatcherUrl: string;
}

/** Rehearsals of merchants, outside production. */
@Module({})
export class SandboxModule implements OnApplicationShutdown {
  constructor(@Inject(SandboxCalls) private readonly calls: SandboxCalls) {}

  static register({ environment, paymentSimulatorUrl, webhookDispatcherUrl }: SandboxOptions): DynamicModule {
    const clientOf = (baseUrl: string, audience: string, signer: ServiceTokenSigner) =>
      new InternalClient({ baseUrl, audience, signer, socketsMax: 4 });
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
              clientOf(paymentSimulatorUrl, 'payment-simulator', signer),
              clientOf(webhookDispatcherUrl, 'webhook-dispatcher', signer),
            ),
        },
        SandboxService,
      ],
    };
  }

  onApplicationShutdown(): void {
    this.calls.close();
  }
}
