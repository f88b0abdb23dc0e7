import { type DynamicModule, Module } from '@nestjs/common';
import { IdentityModule, ServiceTokenModule } from '@paycode/access';
import type { Settings } from './config/env';
import { DatabaseModule } from './database';
import { DeliveriesModule } from './deliveries';
import { MessagingModule } from './messaging';
import { RecipientMessagesModule } from './recipient-messages';
import { RecoveryModule } from './recovery';
import { RetentionModule } from './retention';

/** The webhook dispatcher: durable deliveries, POSTs under a lane's epoch, write-once verdicts. */
@Module({})
export class AppModule {
  static withSettings(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forService('webhook-dispatcher', {
          serviceSecrets: settings.SERVICE_TOKEN_SECRETS,
          operatorSecrets: settings.OPERATOR_TOKEN_SECRETS,
        }),
        IdentityModule.forService({ jwksUrl: `${settings.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forUrl({
          url: settings.DATABASE_URL,
          poolMax: settings.DATABASE_POOL_MAX,
          migrations: settings.MIGRATIONS,
          environment: settings.PAYCODE_ENVIRONMENT,
        }),
        MessagingModule.forEnv(settings),
        DeliveriesModule.withSettings(settings),
        RecoveryModule.withKeys(settings.PAYLOAD_KEYS),
        RetentionModule.ofDays(settings.RETENTION_DAYS),
        RecipientMessagesModule.withSettings(settings),
      ],
    };
  }
}
