import type { DecisionToRecord } from '../../../../apps/reversal-scheduler/src/reversal/domain/decision';
import type { DecisionOutcome, DecisionStore } from '../../../../apps/reversal-scheduler/src/reversal/reversal.ports';
import type { InMemoryReversalDatabase } from '../../../../apps/reversal-scheduler/src/reversal/testing/in-memory-reversal-database';
import type { Watcher } from './watcher.ts';

/** DEC_NOCAS: every decision is written, whatever stands. */
export function overwritingDecisions(database: InMemoryReversalDatabase, watcher: Watcher): DecisionStore {
  return {
    find: ids => database.decisions.find(ids),
    decide: async (items: readonly DecisionToRecord[]): Promise<DecisionOutcome[]> =>
      items.map(item => {
        const { transactionId, merchantId, decision, reason } = item;
        database.decisionRows.set(transactionId, { ...item, atUs: database.nowUs() });
        database.openJobs.delete(transactionId);
        watcher.decisionWritten(item);
        if (reason) database.outbox.push({ transactionId, merchantId, reason, requestedAt: '2026-01-01T00:00:00Z' });
        return { transactionId, decision, isNew: true };
      }),
  };
}
