import { type DynamicModule, Inject, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { Clock, SystemClock } from '@paycode/timing';
import { HttpMerchantCalls } from './clients/http-merchant-calls';
import { HttpOnCallCalls } from './clients/http-on-call-calls';
import { Dashboards } from './dashboards';
import { FindMerchantService } from './find-merchant.service';
import { OnCallMerchantsController } from './http/on-call-merchants.controller';
import { OnCallController } from './http/on-call.controller';
import { MerchantCalls, OnCallCalls, OnCallReader } from './on-call.ports';
import { OnCallService } from './on-call.service';
import { PostgresOnCallReader } from './persistence/postgres-on-call-reader';

export interface OnCallOptions {
  webhookDispatcherUrl: string;
  reversalSchedulerUrl: string;
  notificationConfigUrl: string;
  authSessionUrl: string;
  /** Base URL of Grafana; null: there is none. */
  grafanaUrl: string | null;
}

/** What people on call see over all merchants, and the little that they may do. */
@Module({})
export class OnCallModule implements OnApplicationShutdown {
  constructor(
    @Inject(OnCallCalls) private readonly calls: HttpOnCallCalls,
    @Inject(MerchantCalls) private readonly merchantCalls: HttpMerchantCalls,
  ) {}

  static register(options: OnCallOptions): DynamicModule {
    return {
      module: OnCallModule,
      controllers: [OnCallController, OnCallMerchantsController],
      providers: [
        ...callProviders(options),
        { provide: OnCallReader, useClass: PostgresOnCallReader },
        { provide: Clock, useClass: SystemClock },
        { provide: Dashboards, useFactory: () => new Dashboards(options.grafanaUrl) },
        OnCallService,
        FindMerchantService,
      ],
    };
  }

  onApplicationShutdown(): void {
    this.calls.close();
    this.merchantCalls.close();
  }
}

function callProviders(options: OnCallOptions): Provider[] {
  const clientOf = (baseUrl: string, audience: string, signer: ServiceTokenSigner) =>
    new InternalClient({ baseUrl, audience, signer, socketsMax: 2, timeoutMs: 3_000 });
  return [
    {
      provide: OnCallCalls,
      inject: [ServiceTokenSigner],
      useFactory: (signer: ServiceTokenSigner) =>
        new HttpOnCallCalls(
          clientOf(options.webhookDispatcherUrl, 'webhook-dispatcher', signer),
          clientOf(options.reversalSchedulerUrl, 'reversal-scheduler', signer),
        ),
    },
    {
      provide: MerchantCalls,
      inject: [ServiceTokenSigner],
      useFactory: (signer: ServiceTokenSigner) =>
        new HttpMerchantCalls(
          clientOf(options.notificationConfigUrl, 'notification-config', signer),
          clientOf(options.authSessionUrl, 'auth-session', signer),
        ),
    },
  ];
}
