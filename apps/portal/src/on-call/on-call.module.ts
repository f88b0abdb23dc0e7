import { type DynamicModule, Inject, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { DeadLettersService } from '@paycode/events';
import { Clock, SystemClock } from '@paycode/timing';
import { FourEyesModule } from '../four-eyes';
import { HttpDeadLetterCalls } from './clients/http-dead-letter-calls';
import { HttpMerchantCalls } from './clients/http-merchant-calls';
import { HttpOnCallCalls } from './clients/http-on-call-calls';
import { Dashboards } from './dashboards';
import { DeadLetterCalls } from './dead-letters.ports';
import { FindMerchantService } from './find-merchant.service';
import { DeadLettersController } from './http/dead-letters.controller';
import { OnCallMerchantsController } from './http/on-call-merchants.controller';
import { OnCallController } from './http/on-call.controller';
import { PausesController } from './http/pauses.controller';
import { MerchantCalls, OnCallCalls, OnCallReader } from './on-call.ports';
import { PauseDeliveriesService } from './pause-deliveries.service';
import { OnCallService } from './on-call.service';
import { PostgresOnCallReader } from './persistence/postgres-on-call-reader';
import { RedriveLettersService } from './redrive-letters.service';
import { ReadLettersService } from './read-letters.service';
import { RedriveRules, TwoPeople } from './two-people';

export interface OnCallOptions {
  webhookDispatcherUrl: string;
  reversalSchedulerUrl: string;
  notificationConfigUrl: string;
  authSessionUrl: string;
  recipientMessagesUrl: string;
  isProduction: boolean;
  /** Base URL of Grafana; null: there is none. */
  grafanaUrl: string | null;
}

/** What people on call see over all merchants, and the little that they may do. */
@Module({})
export class OnCallModule implements OnApplicationShutdown {
  constructor(
    @Inject(OnCallCalls) private readonly calls: HttpOnCallCalls,
    @Inject(MerchantCalls) private readonly merchantCalls: HttpMerchantCalls,
    @Inject(DeadLetterCalls) private readonly letterCalls: HttpDeadLetterCalls,
  ) {}

  static register(options: OnCallOptions): DynamicModule {
    return {
      module: OnCallModule,
      imports: [FourEyesModule],
      controllers: [OnCallController, OnCallMerchantsController, DeadLettersController, PausesController],
      providers: [
        ...callProviders(options),
        letterCallsProvider(options),
        { provide: RedriveRules, useFactory: () => new RedriveRules(options.isProduction) },
        { provide: OnCallReader, useClass: PostgresOnCallReader },
        { provide: Clock, useClass: SystemClock },
        { provide: Dashboards, useFactory: () => new Dashboards(options.grafanaUrl) },
        OnCallService,
        FindMerchantService,
        ReadLettersService,
        TwoPeople,
        RedriveLettersService,
        PauseDeliveriesService,
      ],
    };
  }

  onApplicationShutdown(): void {
    this.calls.close();
    this.merchantCalls.close();
    this.letterCalls.close();
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
          clientOf(options.webhookDispatcherUrl, 'webhook-dispatcher', signer),
        ),
    },
  ];
}

/** Within what a browser waits: a redrive of 50 letters is 50 turns of a handler. */
const redriveTimeoutMs = 25_000;

function letterCallsProvider(options: OnCallOptions): Provider {
  return {
    provide: DeadLetterCalls,
    inject: [ServiceTokenSigner, DeadLettersService],
    useFactory: (signer: ServiceTokenSigner, own: DeadLettersService) => {
      const to = (baseUrl: string, audience: string) =>
        new InternalClient({ baseUrl, audience, signer, socketsMax: 2, timeoutMs: redriveTimeoutMs });
      const clients = {
        'webhook-dispatcher': to(options.webhookDispatcherUrl, 'webhook-dispatcher'),
        'reversal-scheduler': to(options.reversalSchedulerUrl, 'reversal-scheduler'),
        'recipient-messages': to(options.recipientMessagesUrl, 'recipient-messages'),
      };
      return new HttpDeadLetterCalls(clients, own);
    },
  };
}
