import { cellEnv, eventLogOwnerEnv, eventsEnv } from '@paycode/events';
import { ownershipEnv } from '@paycode/ownership';
import { baseEnv, databaseEnv, defineEnv, internalCallsEnv, tracingEnv } from '@paycode/service-runtime';

/** Environment of the reversal scheduler. */
export const env = defineEnv({
  ...baseEnv({ internal: 3104 }),
  ...databaseEnv,
  ...internalCallsEnv,
  ...eventsEnv,
  ...cellEnv,
  ...eventLogOwnerEnv,
  ...tracingEnv,
  ...ownershipEnv,
  WEBHOOK_DISPATCHER_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3103',
    description: 'Internal base URL of webhook-dispatcher, which is asked to close due deliveries.',
  },
  TIMER_DELAY_MS: {
    tier: 'fixed',
    type: 'integer',
    unit: 'ms',
    default: 60_000,
    min: 100,
    max: 3_600_000,
    description:
      'The dispatcher is asked this long after arming: connect budget, acknowledgement window and margin (P-T5). A due timer only asks; it never decides.',
  },
  AUDIT_DELAY_MS: {
    tier: 'fixed',
    type: 'integer',
    unit: 'ms',
    default: 900_000,
    max: 86_400_000,
    description: 'Delay of the audit of TransactionTerminal; at least the backstop of the dispatcher (DISPATCH_WINDOW_MS).',
  },
  RECORD_RETENTION_DAYS: {
    tier: 'must',
    type: 'integer',
    unit: 'd',
    default: 400,
    min: 60,
    max: 3_650,
    description:
      'How long decided jobs and their decisions are kept, longer than an event of a payment can come again (topics keep it for 14 days, dead letters for 30): without its decision, a payment that comes again is a new one. An open job is never deleted.',
  },
  SCHEDULER_SHARD_LEASE_MS: {
    tier: 'fixed',
    type: 'integer',
    unit: 'ms',
    default: 5_000,
    min: 500,
    max: 600_000,
    description: 'Others judge a scheduler dead, and take over its shards, when its heartbeat has not changed for this long.',
  },
});
