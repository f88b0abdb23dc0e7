import { type DynamicModule, Module } from '@nestjs/common';
import { ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { DeadLettersModule, eventsOptionsOf, MessagingModule } from '@paycode/events';
import { connectionOptionsOf, DatabaseModule } from '@paycode/persistence';
import type { EnvOf } from '@paycode/service-runtime';
import { migrations } from '../migrations';
import type { env } from './config/env';
import { ReversalModule } from './reversal/reversal.module';

/** The reversal scheduler: durable jobs, write-once decisions, and timers that only ask the dispatcher. */
@Module({})
export class AppModule {
  static forRoot(values: EnvOf<typeof env.schema>): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('reversal-scheduler', tokenKeyOptionsOf(values)),
        DatabaseModule.forRoot('reversal-scheduler', {
          ...connectionOptionsOf(values),
          migrations,
          mustBeDurableIn: values.PAYCODE_ENVIRONMENT,
        }),
        DeadLettersModule,
        MessagingModule.forRoot('reversal-scheduler', eventsOptionsOf(values)),
        ReversalModule.register({
          dispatcherUrl: values.WEBHOOK_DISPATCHER_URL,
          timerDelayMs: values.TIMER_DELAY_MS,
          auditDelayMs: values.AUDIT_DELAY_MS,
          instance: values.INSTANCE_ID ?? undefined,
          shardLeaseMs: values.SCHEDULER_SHARD_LEASE_MS,
        }),
      ],
    };
  }
}
