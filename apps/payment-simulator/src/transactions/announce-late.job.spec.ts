import { createLogger } from '@paycode/service-runtime';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { AnnounceLateJob } from './announce-late.job';
import type { TransactionStore } from './transaction.store';

describe('late announcements', () => {
  const later = undoneAfterEach();
  let looks: number;
  let waitMs: number;
  let recorded: () => void;
  beforeEach(() => {
    [looks, waitMs] = [0, Infinity];
    const transactions: Pick<TransactionStore, 'announceDue' | 'onLate'> = {
      announceDue: () => Promise.resolve((looks++, waitMs)),
      onLate: listener => void (recorded = listener),
    };
    const job = new AnnounceLateJob(transactions as TransactionStore, createLogger('test', 'silent'));
    job.onApplicationBootstrap();
    later(() => job.onApplicationShutdown());
  });

  it('are looked for when this replica records one, and then when it is due (A-07)', async () => {
    await eventually(() => expect(looks).toBe(1));
    waitMs = 10;
    recorded();
    await eventually(() => expect(looks).toBeGreaterThanOrEqual(3));
  });
});
