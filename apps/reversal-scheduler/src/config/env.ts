import { eventsEnv } from '@paycode/events';
import { baseEnv, databaseEnv, defineEnv, internalCallsEnv, tracingEnv } from '@paycode/service-runtime';

/** Environment of the reversal scheduler. */
export const env = defineEnv({
  ...baseEnv({ internal: 3104 }),
  ...databaseEnv,
  ...internalCallsEnv,
  ...eventsEnv,
  ...tracingEnv,
  WEBHOOK_DISPATCHER_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3103',
    description: 'Internal base URL of webhook-dispatcher, which is asked to close due deliveries.',
  },
  TIMER_DELAY_MS: {
    type: 'integer',
    unit: 'ms',
    default: 60_000,
    min: 100,
    max: 3_600_000,
    description:
      'How long after arming the dispatcher is asked: connect budget, acknowledgement window and margin (P-T5). Only a nudge: a due timer asks and never decides.',
  },
  AUDIT_DELAY_MS: {
    type: 'integer',
    unit: 'ms',
    default: 900_000,
    max: 86_400_000,
    description:
      'How far behind the audit of TransactionTerminal runs; at least the backstop of the dispatcher (DISPATCH_WINDOW_MS).',
  },
  SHARD_LEASE_MS: {
    type: 'integer',
    unit: 'ms',
    default: 5_000,
    min: 500,
    max: 600_000,
    description: 'A scheduler whose heartbeat stood still for this long is dead and its shards are taken over.',
  },
});
