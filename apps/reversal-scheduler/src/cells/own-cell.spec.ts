import type { EventBatch } from '@paycode/events';
import type { CellEntry } from '@paycode/ownership';
import type { DecideReversals } from '../reversal/decide-reversals';
import {
  AckReceivedConsumer,
  ReversalRequestedConsumer,
  transactionTerminalAuditConsumer,
} from '../reversal/reversal-events.consumer';
import { schedulerUnderTest } from '../reversal/testing/scheduler-under-test';
import { type CellRange, OwnCell, UndecidedCellError } from './own-cell';

const entry = (fromOffset: number, cell: string, step: number): CellEntry => ({ partition: 0, fromOffset, cell, step });
const cells = ['a', 'b'].map(name => ({ name }));
const [toB, backToA] = [entry(8, 'b', 1), entry(20, 'a', 2)];
const range = (from: number, until: number | null, step: number): CellRange => ({ from, until, step });

const terminal = (transactionId: number, offset: number) => ({
  offset: String(offset),
  data: {
    transactionId,
    merchantId: 7,
    kind: 'PURCHASE',
    status: 'SUCCESS',
    txState: 'SUCCESS',
    referenceTransactionId: 0,
    completedAt: '2026-01-01T00:00:00.000Z',
    notification: 'a.b.c.d.e',
  },
});
const batchOf = (...events: object[]) =>
  ({ partition: 0, events, reject: (_: unknown, reason: string) => expect(reason).toBe('') }) as unknown as EventBatch;

// proves: P-I1, P-I15, the audit of a cell ends no payment of another one (P-1.12).
describe('the audit of TransactionTerminal, in one of several cells', () => {
  /** Offsets of the payments that the audit of this cell gives a job. */
  const audited = async (self: string, view: { entries: CellEntry[]; range: CellRange }, ...offsets: number[]) => {
    const watched: number[] = [];
    const terminals = {
      watch: async (all: { transactionId: number }[]) => void watched.push(...all.map(each => each.transactionId)),
    };
    const read = async () => ({ map: { cells, entries: view.entries }, ranges: [view.range] });
    const Audit = transactionTerminalAuditConsumer(0);
    const audit = new Audit(terminals, new OwnCell(self, { view: read }));
    await audit.onTransactionTerminal(batchOf(...offsets.map(offset => terminal(offset, offset))));
    return watched;
  };

  it('takes what lies in the range of its dispatcher', async () => {
    expect(await audited('a', { entries: [], range: range(0, null, 0) }, 3, 7, 30)).toEqual([3, 7, 30]);
    expect(await audited('b', { entries: [toB], range: range(8, null, 1) }, 3, 7, 8, 30)).toEqual([8, 30]);
  });

  it('takes what lay in a former range of the cell, and nothing that lay between', async () => {
    expect(await audited('a', { entries: [toB, backToA], range: range(20, null, 2) }, 7, 8, 19, 20)).toEqual([7, 20]);
    expect(await audited('b', { entries: [toB, backToA], range: range(8, 20, 1) }, 7, 8, 19, 20)).toEqual([8, 19]);
  });

  it('waits with events beyond the end of its range until the map says who has them: the map is older than the end', async () => {
    const ended = range(0, 8, 0);
    await expect(audited('a', { entries: [], range: ended }, 8)).rejects.toThrow(UndecidedCellError);
    expect(await audited('a', { entries: [toB], range: ended }, 7, 8, 30)).toEqual([7]);
    await expect(audited('a', { entries: [toB, backToA], range: ended }, 20)).rejects.toThrow(UndecidedCellError);
  });

  it('of a new cell takes nothing before its dispatcher has begun its range, and waits for that', async () => {
    for (const unused of [range(0, null, 0), range(0, 0, 0)]) {
      expect(await audited('b', { entries: [toB], range: unused }, 3)).toEqual([]);
      await expect(audited('b', { entries: [toB], range: unused }, 8)).rejects.toThrow(UndecidedCellError);
    }
  });

  it('waits when the map that it was shown is older than the range', async () => {
    await expect(audited('a', { entries: [toB], range: range(20, null, 2) }, 9)).rejects.toThrow(UndecidedCellError);
  });
});

// proves: P-I2, P-I10
describe('events of services that each cell has of its own', () => {
  const said = (source: string) => ({ source });
  const batch = batchOf(said('webhook-dispatcher'), said('webhook-dispatcher@b'), said('webhook-dispatcher@c'));

  it.each<[string | null, string[]]>([
    [null, ['webhook-dispatcher', 'webhook-dispatcher@b', 'webhook-dispatcher@c']],
    ['main', ['webhook-dispatcher']],
    ['b', ['webhook-dispatcher@b']],
  ])('cell %s takes its own', (name, sources) => {
    expect(new OwnCell(name).saidBy('webhook-dispatcher', batch).events.map(({ source }) => source)).toEqual(sources);
  });

  it('of another cell settle and reverse nothing here, and keep nothing for a later arming', async () => {
    const { decide, database, metrics } = schedulerUnderTest();
    const reversals = { decide } as unknown as DecideReversals;
    const cell = new OwnCell('b');
    const event = (source: string, data: object) => ({ source, data: { transactionId: 1, merchantId: 7, ...data } });
    const at = new Date().toISOString();
    const ack = { source: 'WEBHOOK', attempt: 1, elapsedMs: null, acknowledgedAt: at };
    const acknowledgements = new AckReceivedConsumer(reversals, database.jobs, metrics, cell);
    await acknowledgements.onAckReceived(batchOf(event('webhook-dispatcher', ack)));
    expect(metrics.unprovenAcks).toEqual([]);
    const requests = new ReversalRequestedConsumer(reversals, cell);
    const request = { reason: 'TIMEOUT', requestedAt: at };
    await requests.onReversalRequested(batchOf(event('reversal-scheduler', request)));
    expect([database.decisionRows.size, database.outbox]).toEqual([0, []]);
    await requests.onReversalRequested(batchOf(event('reversal-scheduler@b', request)));
    expect(database.decisionRows.get(1)?.decision).toBe('REVERSED');
  });
});
