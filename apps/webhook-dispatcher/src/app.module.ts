import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { IdentityModule, ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { ErasureModule } from '@paycode/erasure';
import { DeadLettersModule, eventsOptionsOf, MessagingModule } from '@paycode/events';
import { connectionOptionsOf, DatabaseModule } from '@paycode/persistence';
import { outboundPolicyOf, userAgent } from '@paycode/safe-http';
import { DataSource } from 'typeorm';
import { migrations } from '../migrations';
import type { Settings } from './config/env';
import type { Dispatcher } from './dispatcher/assemble-dispatcher';
import type { DispatcherOptions } from './dispatcher/dispatcher-options';
import { DispatcherModule } from './dispatcher/dispatcher.module';
import { DISPATCHER } from './dispatcher/dispatcher.token';
import { storedDeliveries } from './erasure/stored-deliveries.sql';
import { RedeliverInformational } from './informational/redeliver-informational';
import { WebhookSealer } from './posting/webhook-sealer';
import { AcknowledgeByPull } from './recovery/acknowledge-by-pull';
import { NotificationStore } from './recovery/notification.store';
import { PortalNotificationsController } from './recovery/portal-notifications.controller';
import { PurchaseNotificationController } from './recovery/purchase-notification.controller';
import { RecoverNotification } from './recovery/recover-notification';
import { RedeliverNotice, SealRequest, ShowNotification } from './recovery/show-notification';
import { IdRangeStore } from './retention/id-range.store';
import { RetainDeliveries } from './retention/retain-deliveries';
import { RetentionJob } from './retention/retention.job';
import { VerdictStore } from './verdicts/verdict.store';

/** AckReceived may wait this long for others to share its publish: the reversal that it ends is due a minute later. */
const ackReceivedGatherMs = 100;
const dayMs = 86_400_000;

/** The webhook dispatcher: durable deliveries, POSTs under a shard's epoch, write-once verdicts. */
@Module({})
export class AppModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('webhook-dispatcher', tokenKeyOptionsOf(settings)),
        IdentityModule.forRoot('webhook-dispatcher', { jwksUrl: `${settings.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forRoot('webhook-dispatcher', {
          ...connectionOptionsOf(settings),
          migrations,
          mustBeDurableIn: settings.PAYCODE_ENVIRONMENT,
        }),
        DeadLettersModule,
        MessagingModule.forRoot('webhook-dispatcher', {
          ...eventsOptionsOf(settings),
          beginsTraces: true,
          gatherMs: ackReceivedGatherMs,
        }),
        DispatcherModule.register(dispatcherOptions(settings)),
        ErasureModule.register({ source: storedDeliveries, payloadKeys: settings.PAYLOAD_KEYS }),
      ],
      controllers: [PurchaseNotificationController, PortalNotificationsController],
      providers: [...recoveryProviders(settings.PAYLOAD_KEYS), ...retentionProviders(settings.RETENTION_DAYS * dayMs)],
    };
  }
}

/** `GET /pluto/purchase/notification/{transactionId}`, and what the portal shows and repeats. */
function recoveryProviders(payloadKeys: string): Provider[] {
  const openerOf = () => new PayloadSealer(KeyRing.parse(payloadKeys));
  return [
    { provide: NotificationStore, inject: [DataSource], useFactory: (source: DataSource) => new NotificationStore(source) },
    {
      provide: RecoverNotification,
      inject: [NotificationStore, DISPATCHER, VerdictStore],
      useFactory: (store: NotificationStore, { routes, settling }: Dispatcher, verdicts: VerdictStore) => {
        const owners = { pspOf: async (merchantId: number) => (await routes.current(merchantId)).pspId };
        return new RecoverNotification(store, owners, new AcknowledgeByPull(verdicts, settling), openerOf());
      },
    },
    {
      provide: ShowNotification,
      inject: [NotificationStore, DISPATCHER, WebhookSealer],
      useFactory: (store: NotificationStore, { routes }: Dispatcher, sealer: WebhookSealer) =>
        new ShowNotification(store, openerOf(), new SealRequest(routes, sealer, userAgent)),
    },
    {
      provide: RedeliverNotice,
      inject: [NotificationStore, RedeliverInformational],
      useFactory: (store: NotificationStore, redeliverNotice: RedeliverInformational) =>
        new RedeliverNotice(store, redeliverNotice),
    },
  ];
}

/** Deletes stored notifications when their retention ends. */
function retentionProviders(retentionMs: number): Provider[] {
  return [
    {
      provide: RetainDeliveries,
      inject: [DataSource],
      useFactory: (source: DataSource) => new RetainDeliveries(new IdRangeStore(source), retentionMs),
    },
    RetentionJob,
  ];
}

function dispatcherOptions(settings: Settings): DispatcherOptions {
  return {
    neighbours: {
      reversalSchedulerUrl: settings.REVERSAL_SCHEDULER_URL,
      notificationConfigUrl: settings.NOTIFICATION_CONFIG_URL,
    },
    keys: { payloadKeys: settings.PAYLOAD_KEYS, keyEncryptionKeys: settings.KEY_ENCRYPTION_KEYS },
    outbound: outboundPolicyOf(settings),
    instance: settings.INSTANCE_ID ?? undefined,
    shardLeaseMs: settings.DISPATCHER_SHARD_LEASE_MS,
    rules: { attemptsMax: settings.MAX_ATTEMPTS, dispatchWindowMs: settings.DISPATCH_WINDOW_MS },
    window: { ackWindowMs: settings.ACK_WINDOW_MS, connectBudgetMs: settings.CONNECT_BUDGET_MS },
    slotsMax: settings.SOCKETS_MAX,
    heldMax: settings.HELD_MAX,
    deliveriesPerLogLine: settings.DELIVERIES_PER_LOG_LINE,
    relaysUrl: settings.SANDBOX_RELAYS_URL ?? undefined,
    handshakesPerSecond: settings.HANDSHAKES_PER_SECOND,
  };
}
