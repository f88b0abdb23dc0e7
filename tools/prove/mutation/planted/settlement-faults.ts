import type { PlantedFault } from './planted-fault.ts';

const scheduler = 'apps/reversal-scheduler/src';
const storesSpec = `${scheduler}/reversal/persistence/postgres-reversal-stores.int.spec.ts`;
const timersSpec = `${scheduler}/reversal/reversal-timers.spec.ts`;
const schedulerSpec = `${scheduler}/scheduler.int.spec.ts`;

/** Armed, settled, reversed: the scheduler. */
export const settlementFaults: readonly PlantedFault[] = [
  {
    id: 'settled-is-reversed',
    breaks: 'ReversalRequested is written for settled payments instead of reversed ones.',
    against: 'P-I2',
    file: `${scheduler}/reversal/persistence/decision.sql.ts`,
    find: "from decided where kind = 'REVERSED' order by transaction_id)",
    put: "from decided where kind = 'SETTLED' order by transaction_id)",
    specs: [storesSpec],
  },
  {
    id: 'open-is-timeout',
    breaks: 'A delivery that is still open counts as timed out.',
    against: 'A-07',
    file: `${scheduler}/reversal/reversal-timers.ts`,
    find: "  if (!answer || answer.verdict === 'OPEN') return [];\n",
    put: "  if (!answer) return [];\n  if (answer.verdict === 'OPEN') return [{ transactionId, merchantId, verdict: 'CLOSED_TIMEOUT' }];\n",
    specs: [timersSpec],
  },
  {
    id: 'asks-again-late',
    breaks: 'The scheduler asks about an open delivery every 50 seconds instead of every 5.',
    against: 'R-3.1-3',
    file: `${scheduler}/reversal/domain/timing.ts`,
    find: 'askAgainMs = 5_000;',
    put: 'askAgainMs = 50_000;',
    specs: [timersSpec],
  },
  {
    id: 'due-brought-forward',
    breaks: 'Arming a second attempt leaves the due time of the first.',
    against: 'P-T5',
    file: `${scheduler}/reversal/persistence/job.sql.ts`,
    find: 'due_at = greatest(job.due_at, excluded.due_at)',
    put: 'due_at = least(job.due_at, excluded.due_at)',
    specs: [storesSpec],
  },
  {
    id: 'wrong-reason',
    breaks: 'A reversal after another status than 200 says that the connection failed.',
    against: 'P-I6',
    file: 'libs/dto/src/internal/reversals.ts',
    find: "CLOSED_NON200: 'NON_200',",
    put: "CLOSED_NON200: 'CONNECTION',",
    specs: [`${scheduler}/reversal/domain/decision.spec.ts`, schedulerSpec],
  },
  {
    id: 'timer-default',
    breaks: 'The dispatcher is asked 50 seconds after arming, before its window can be over.',
    against: 'P-T5',
    file: `${scheduler}/config/env.ts`,
    find: 'default: 60_000,',
    put: 'default: 50_000,',
    specs: [schedulerSpec],
  },
  {
    id: 'decision-overwritten',
    breaks: 'A later verdict changes a decision.',
    against: 'P-I1',
    file: `${scheduler}/reversal/persistence/decision.sql.ts`,
    find: '    on conflict (transaction_id) do nothing\n    returning *),',
    put: '    on conflict (transaction_id) do update set kind = excluded.kind, reason = excluded.reason, verdict = excluded.verdict\n    returning *),',
    specs: [storesSpec],
  },
  {
    id: 'decision-not-guarded',
    breaks: 'The database lets a program or a person change a decision.',
    against: 'P-I1',
    file: 'apps/reversal-scheduler/migrations/1760000000000-create-reversals.ts',
    find: 'create trigger decision_is_written_once before update on decision for each row execute function refuse_change();',
    put: '',
    specs: [storesSpec],
  },
  {
    id: 'shard-taken-twice',
    breaks: 'Two schedulers own one shard.',
    against: 'P-T6',
    file: 'libs/ownership/src/assignment.ts',
    find: 'owner === null || !live.has(owner)',
    put: 'owner !== self',
    specs: ['libs/ownership/src/assignment.spec.ts'],
  },
  {
    id: 'arm-forgets-decision',
    breaks: 'Arming a payment that is decided already says that it may be POSTed.',
    against: 'P-I5',
    file: `${scheduler}/reversal/arm-reversals.ts`,
    find: 'decision: decided.get(transactionId) ?? null',
    put: 'decision: null',
    specs: [schedulerSpec],
  },
];
