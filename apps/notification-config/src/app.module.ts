import { type DynamicModule, Module } from '@nestjs/common';
import { IdentityModule, ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { connectionOptionsOf, DatabaseModule } from '@paycode/persistence';
import { outboundPolicyOf } from '@paycode/safe-http';
import { insertOnly, migrations } from '../migrations';
import type { NotificationConfigEnv } from './config/env';
import { ChangeNoticesModule } from './change-notices';
import { entities } from './entities';
import { MerchantsModule } from './merchants';
import { NotificationsModule } from './notifications';
import { ProbingModule, type ProbingOptions } from './probing';
import { RoutesModule } from './routes';
import { WebhookKeysModule } from './webhook-keys';

/** Merchants and their notification settings: URL and key, Email and SMS recipients. */
@Module({})
export class AppModule {
  static forRoot(env: NotificationConfigEnv): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('notification-config', tokenKeyOptionsOf(env)),
        IdentityModule.forRoot('notification-config', { jwksUrl: `${env.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forRoot('notification-config', { ...connectionOptionsOf(env), migrations, entities, insertOnly }),
        WebhookKeysModule.register({ keyEncryptionKeys: env.KEY_ENCRYPTION_KEYS }),
        RoutesModule.register({ leaseMs: env.ROUTE_LEASE_MS }),
        ProbingModule.register(probingOptions(env)),
        MerchantsModule,
        NotificationsModule.register({ isProduction: env.PAYCODE_ENVIRONMENT === 'production' }),
        ChangeNoticesModule.register({ recipientMessagesUrl: env.RECIPIENT_MESSAGES_URL }),
      ],
    };
  }
}

const responseBytesMax = 1_024;
const hourMs = 3_600_000;
const minuteMs = 60_000;
/** Time for the probe's bookkeeping beyond the probe itself. */
const probeMarginMs = 5_000;

function probingOptions(env: NotificationConfigEnv): ProbingOptions {
  return {
    policy: outboundPolicyOf(env),
    limits: { totalMs: env.PROBE_TIMEOUT_MS, connectMs: env.PROBE_CONNECT_TIMEOUT_MS, bodyBytesMax: responseBytesMax },
    budget: {
      merchant: { burst: env.PROBES_PER_MERCHANT_BURST, refillMs: env.PROBES_PER_MERCHANT_INTERVAL_MS },
      caller: { burst: env.PROBES_PER_CALLER_BURST, refillMs: hourMs / env.PROBES_PER_CALLER_PER_HOUR },
      origin: { burst: env.PROBES_PER_ORIGIN_PER_MINUTE, refillMs: minuteMs / env.PROBES_PER_ORIGIN_PER_MINUTE },
      probeMsMax: env.PROBE_TIMEOUT_MS + probeMarginMs,
    },
  };
}
