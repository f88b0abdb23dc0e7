import { type DynamicModule, Module } from '@nestjs/common';
import { ServiceTokenModule } from '@paycode/access';
import type { EnvOf } from '@paycode/service-runtime';
import type { env } from './config/env';
import { DatabaseModule } from './database';
import { MessagingModule } from './messaging';
import { ReversalModule } from './reversal';

/** The reversal scheduler: durable jobs, write-once decisions, timers that only ask. */
@Module({})
export class AppModule {
  static forEnv(values: EnvOf<typeof env.schema>): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forService('reversal-scheduler', {
          serviceSecrets: values.SERVICE_TOKEN_SECRETS,
          operatorSecrets: values.OPERATOR_TOKEN_SECRETS,
        }),
        DatabaseModule.forUrl({ url: values.DATABASE_URL, poolMax: values.DATABASE_POOL_MAX, migrations: values.MIGRATIONS }),
        MessagingModule.forEnv(values),
        ReversalModule.withSettings({
          dispatcherUrl: values.WEBHOOK_DISPATCHER_URL,
          timerDelayMs: values.TIMER_DELAY_MS,
          auditDelayMs: values.AUDIT_DELAY_MS,
          shardLeaseMs: values.SHARD_LEASE_MS,
        }),
      ],
    };
  }
}
