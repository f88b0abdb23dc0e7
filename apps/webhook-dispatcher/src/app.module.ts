import { type DynamicModule, Module } from '@nestjs/common';
import { IdentityModule, ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { ErasureModule } from '@paycode/erasure';
import { DeadLettersModule, eventsOptionsOf, MessagingModule } from '@paycode/events';
import { connectionOptionsOf, DatabaseModule } from '@paycode/persistence';
import { outboundPolicyOf } from '@paycode/safe-http';
import { migrations } from '../migrations';
import type { Settings } from './config/env';
import { DispatcherModule, type DispatcherOptions } from './dispatcher';
import { storedDeliveries } from './erasure';
import { RecoveryModule } from './recovery';
import { RetentionModule } from './retention';

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
        RecoveryModule.register({ payloadKeys: settings.PAYLOAD_KEYS }),
        ErasureModule.register({ source: storedDeliveries, payloadKeys: settings.PAYLOAD_KEYS }),
        RetentionModule.register({ retentionMs: settings.RETENTION_DAYS * dayMs }),
      ],
    };
  }
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
