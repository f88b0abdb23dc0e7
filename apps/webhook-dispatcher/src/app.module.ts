import { type DynamicModule, Module } from '@nestjs/common';
import { IdentityModule, ServiceTokenModule, tokenKeySettingsOf } from '@paycode/access';
import { ErasureModule } from '@paycode/erasure';
import { MessagingModule } from '@paycode/events';
import { DatabaseModule } from '@paycode/persistence';
import { migrations } from '../migrations';
import type { Settings } from './config/env';
import { DispatcherModule } from './dispatcher';
import { storedDeliveries } from './erasure';
import { RecoveryModule } from './recovery';
import { RetentionModule } from './retention';

/** AckReceived may wait this long for others to share its publish: the dispatcher has already told the scheduler directly. */
const ackReceivedGatherMs = 50;
const dayMs = 86_400_000;

/** The webhook dispatcher: durable deliveries, POSTs under a shard's epoch, write-once verdicts. */
@Module({})
export class AppModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('webhook-dispatcher', tokenKeySettingsOf(settings)),
        IdentityModule.forRoot('webhook-dispatcher', { jwksUrl: `${settings.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forRoot('webhook-dispatcher', {
          env: settings,
          migrations,
          mustBeDurableIn: settings.PAYCODE_ENVIRONMENT,
        }),
        MessagingModule.forRoot('webhook-dispatcher', settings, { beginsTraces: true, gatherMs: ackReceivedGatherMs }),
        DispatcherModule.register(settings),
        RecoveryModule.register({ payloadKeys: settings.PAYLOAD_KEYS }),
        ErasureModule.register({ source: storedDeliveries, payloadKeys: settings.PAYLOAD_KEYS }),
        RetentionModule.register({ retentionMs: settings.RETENTION_DAYS * dayMs }),
      ],
    };
  }
}
