import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { Clock, SystemClock } from '@paycode/timing';
import { HttpOnCallCalls } from './clients/http-on-call-calls';
import { OnCallController } from './http/on-call.controller';
import { OnCallCalls, OnCallReader } from './on-call.ports';
import { OnCallService } from './on-call.service';
import { PostgresOnCallReader } from './persistence/postgres-on-call-reader';

export interface OnCallOptions {
  webhookDispatcherUrl: string;
  reversalSchedulerUrl: string;
}

/** What people on call see over all merchants, and the little that they may do. */
@Module({})
export class OnCallModule implements OnApplicationShutdown {
  constructor(@Inject(OnCallCalls) private readonly calls: HttpOnCallCalls) {}

  static register({ webhookDispatcherUrl, reversalSchedulerUrl }: OnCallOptions): DynamicModule {
    const clientOf = (baseUrl: string, audience: string, signer: ServiceTokenSigner) =>
      new InternalClient({ baseUrl, audience, signer, socketsMax: 2, timeoutMs: 3_000 });
    return {
      module: OnCallModule,
      controllers: [OnCallController],
      providers: [
        {
          provide: OnCallCalls,
          inject: [ServiceTokenSigner],
          useFactory: (signer: ServiceTokenSigner) =>
            new HttpOnCallCalls(
              clientOf(webhookDispatcherUrl, 'webhook-dispatcher', signer),
              clientOf(reversalSchedulerUrl, 'reversal-scheduler', signer),
            ),
        },
        { provide: OnCallReader, useClass: PostgresOnCallReader },
        { provide: Clock, useClass: SystemClock },
        OnCallService,
      ],
    };
  }

  onApplicationShutdown(): void {
    this.calls.close();
  }
}
