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

/** The webhook dispatcher: durable deliveries, POSTs under a shard's epoch, write-once verdicts. */
@Module({})
export class AppModule {
  static withSettings(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forService('webhook-dispatcher', tokenKeySettingsOf(settings)),
        IdentityModule.forService('webhook-dispatcher', { jwksUrl: `${settings.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forService('webhook-dispatcher', {
          env: settings,
          migrations,
          mustBeDurableIn: settings.PAYCODE_ENVIRONMENT,
        }),
        MessagingModule.forService('webhook-dispatcher', settings, { beginsTraces: true, gatherMs: ackReceivedGatherMs }),
        DispatcherModule.withSettings(settings),
        RecoveryModule.withKeys(settings.PAYLOAD_KEYS),
        ErasureModule.forSource(storedDeliveries, settings.PAYLOAD_KEYS),
        RetentionModule.ofDays(settings.RETENTION_DAYS),
      ],
    };
  }
}
