import type { ReversalRequested } from '@paycode/dto';
import { shardOf } from '@paycode/ownership';
import { decisionFor } from '../domain/decision';
import type { DecisionStore, JobStore } from '../reversal.ports';

export interface ReversalStoresUnderTest {
  jobs: JobStore;
  decisions: DecisionStore;
  /** ReversalRequested events waiting to be published. */
  outbox(): Promise<ReversalRequested[]>;
}

const acked = (transactionId: number) => decisionFor({ transactionId, merchantId: 7, verdict: 'ACKED_HTTP' });
const closed = (transactionId: number) => decisionFor({ transactionId, merchantId: 7, verdict: 'CLOSED_NON200' });
/** Longer than any test takes, so that a job due after it is not due in the test. */
const hourMs = 3_600_000;
const job = (transactionId: number, attempt = 1) => ({ transactionId, merchantId: 7, attempt });

/** Rules that every pair of job store and decision store keeps; the simulation may use any pair that passes. */
export function reversalStoresConformance(open: () => Promise<ReversalStoresUnderTest>): void {
  let stores: ReversalStoresUnderTest;
  beforeEach(async () => (stores = await open()));

  const dueNow = async (...ids: number[]) => {
    const cursors = ids.map(id => ({ shard: shardOf(id), after: null }));
    return (await stores.jobs.scan(cursors, { withinMs: 1_000, max: 100 })).jobs.map(found => found.transactionId);
  };

  it('an armed job is there, due after the delay (R-1-6)', async () => {
    await stores.jobs.arm([job(1)], hourMs);
    expect(await dueNow(1)).toEqual([]);
    const left = (await stores.jobs.undecided([1, 2])).get(1)!;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(hourMs);
    expect(await stores.jobs.stateOf(1)).toMatchObject({ state: 'ARMED', decidedAt: null, reason: null });
    expect(await stores.jobs.stateOf(2)).toBeUndefined();
  });

  it('arming again keeps one job and never brings the due time forward (P-I10)', async () => {
    await stores.jobs.arm([job(1)], hourMs);
    await stores.jobs.arm([job(1, 2)], 0);
    expect(await dueNow(1)).toEqual([]);
    await stores.jobs.arm([job(1, 2)], 2 * hourMs);
    expect((await stores.jobs.undecided([1])).get(1)).toBeGreaterThan(hourMs);
  });

  it('jobs that are new are armed beside one that is there, each due after the delay (P-I10)', async () => {
    await stores.jobs.arm([job(1)], 0);
    await stores.jobs.arm([job(3), job(1), job(2)], hourMs);
    expect(await dueNow(1, 2, 3)).toEqual([]);
    expect([...(await stores.jobs.undecided([1, 2, 3])).keys()].sort()).toEqual([1, 2, 3]);
  });

  it('arming tells the decisions that stand, of new jobs and of those that were there (P-I10)', async () => {
    expect((await stores.jobs.arm([job(1), job(2)], hourMs)).decided).toEqual(new Map());
    await stores.decisions.decide([closed(1), acked(3)]);
    expect((await stores.jobs.arm([job(3), job(4)], hourMs)).decided).toEqual(new Map([[3, 'SETTLED']]));
    expect((await stores.jobs.arm([job(1), job(2), job(3)], hourMs)).decided).toEqual(new Map([[1, 'REVERSED'], [3, 'SETTLED']])); // prettier-ignore
  });

  it('the first decision is kept, within a batch and across batches (P-I1)', async () => {
    expect(await stores.decisions.decide([acked(1), closed(1), closed(2)])).toEqual([
      { transactionId: 1, decision: 'SETTLED', isNew: true },
      { transactionId: 1, decision: 'SETTLED', isNew: false },
      { transactionId: 2, decision: 'REVERSED', isNew: true },
    ]);
    expect(await stores.decisions.decide([closed(1), acked(2)])).toEqual([
      { transactionId: 1, decision: 'SETTLED', isNew: false },
      { transactionId: 2, decision: 'REVERSED', isNew: false },
    ]);
    expect(await stores.decisions.find([1, 2, 3])).toEqual(new Map([[1, 'SETTLED'], [2, 'REVERSED']])); // prettier-ignore
  });

  it('REVERSED and its ReversalRequested are committed together and once; SETTLED requests nothing (P-I2)', async () => {
    await stores.decisions.decide([closed(1), acked(2)]);
    await stores.decisions.decide([closed(1)]);
    expect(await stores.outbox()).toEqual([
      { transactionId: 1, merchantId: 7, reason: 'NON_200', requestedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
  });

  it('a decided job is no longer due, and keeps its history', async () => {
    await stores.jobs.arm([job(1)], 0);
    await stores.decisions.decide([closed(1)]);
    expect(await dueNow(1)).toEqual([]);
    expect(await stores.jobs.undecided([1])).toEqual(new Map());
    expect(await stores.jobs.stateOf(1)).toMatchObject({ state: 'REVERSED', reason: 'NON_200' });
  });

  it('an acknowledgement that comes before its job is still decided', async () => {
    await stores.decisions.decide([acked(1)]);
    expect(await stores.jobs.stateOf(1)).toMatchObject({ state: 'SETTLED', armedAt: null, dueAt: null });
    await stores.jobs.arm([job(1)], 0);
    expect(await dueNow(1)).toEqual([]);
  });

  describe('acknowledgements that AckReceived says (T-18)', () => {
    const [token, other] = ['0'.repeat(32), 'f'.repeat(32)];
    const said = (transactionId: number, tokenHash: string | null) => ({
      ...acked(transactionId),
      acknowledgement: { tokenHash },
    });
    const armedWith = (transactionId: number, ackTokenHash: string, attempt = 1) => ({
      ...job(transactionId, attempt),
      ackTokenHash,
    });
    const settled = (transactionId: number) => ({ transactionId, decision: 'SETTLED', isNew: true });
    const unproven = (transactionId: number, why: string, decision: string | null = null) => ({
      transactionId,
      decision,
      isNew: false,
      unproven: why,
    });

    it('settle with the token of the arming, and without any a payment that was armed without one', async () => {
      await stores.jobs.arm([armedWith(1, token), job(2), job(3)], hourMs);
      expect(await stores.decisions.decide([said(1, token), said(2, null), said(3, other)])).toEqual([1, 2, 3].map(settled));
    });

    it('regression: decide nothing with another token or with none, whatever stands beside them in the batch', async () => {
      await stores.jobs.arm([armedWith(1, token), armedWith(2, token), armedWith(3, token)], hourMs);
      expect(await stores.decisions.decide([said(1, other), said(2, null), said(3, other), closed(3)])).toEqual([
        unproven(1, 'OTHER_TOKEN'),
        unproven(2, 'OTHER_TOKEN'),
        unproven(3, 'OTHER_TOKEN', 'REVERSED'),
        { transactionId: 3, decision: 'REVERSED', isNew: true },
      ]);
      expect(await stores.jobs.stateOf(1)).toMatchObject({ state: 'ARMED' });
      expect(await stores.decisions.decide([said(1, token), said(1, other)])).toEqual([
        settled(1),
        unproven(1, 'OTHER_TOKEN', 'SETTLED'),
      ]);
    });

    it('decide nothing before the arming, or where only the audit has made a job', async () => {
      await stores.jobs.watch([{ transactionId: 2, merchantId: 7 }], hourMs);
      expect(await stores.decisions.decide([said(1, token), said(2, token)])).toEqual([
        unproven(1, 'NOT_ARMED'),
        unproven(2, 'NOT_ARMED'),
      ]);
    });

    it('that came early are found by the arming with their token, and by one without a token', async () => {
      await stores.jobs.keepEarly([said(1, token), said(2, other), said(3, null), said(4, token)]);
      await stores.jobs.keepEarly([said(1, token), said(3, null)]);
      const jobs = [armedWith(1, token), armedWith(2, token), armedWith(3, token), job(4)];
      const { decided, acknowledged } = await stores.jobs.arm(jobs, hourMs);
      expect([decided, acknowledged]).toEqual([new Map(), new Map([[1, 'ACKED_HTTP'], [4, 'ACKED_HTTP']])]); // prettier-ignore
    });

    it('need the token of the last arming that had one', async () => {
      await stores.jobs.arm([job(1), armedWith(2, token)], hourMs);
      await stores.jobs.arm([armedWith(1, other, 2), job(2, 2)], hourMs);
      expect(await stores.decisions.decide([said(1, null), said(2, null)])).toEqual([
        unproven(1, 'OTHER_TOKEN'),
        unproven(2, 'OTHER_TOKEN'),
      ]);
      expect(await stores.decisions.decide([said(1, other), said(2, token)])).toEqual([1, 2].map(settled));
    });
  });

  it('the audit adds a job only for a payment without job and decision (P-I7)', async () => {
    await stores.jobs.arm([job(1)], hourMs);
    await stores.decisions.decide([acked(2)]);
    const items = [1, 2, 3, 3].map(transactionId => ({ transactionId, merchantId: 7 }));
    expect(await stores.jobs.watch(items, 0)).toBe(1);
    expect(await dueNow(1, 2, 3)).toEqual([3]);
  });

  it('the audit moves an undecided job that is overdue, and no other (P-I7)', async () => {
    await stores.jobs.arm([job(1), job(2)], -hourMs);
    await stores.jobs.arm([job(3)], hourMs);
    await stores.decisions.decide([acked(2)]);
    const items = [1, 1, 2, 3].map(transactionId => ({ transactionId, merchantId: 7 }));
    expect(await stores.jobs.watch(items, hourMs / 2)).toBe(0);
    const left = await stores.jobs.undecided([1, 2, 3]);
    expect([...left].sort().map(([id, leftMs]) => [id, Math.ceil(leftMs / (hourMs / 2))])).toEqual([[1, 1], [3, 2]]); // prettier-ignore
  });

  it('pages through a shard in due order from where it left off', async () => {
    const ids = Array.from({ length: 2_000 }, (_, at) => at + 1).filter(id => shardOf(id) === shardOf(1));
    for (const id of ids) await stores.jobs.arm([job(id)], 0);
    const seen: number[] = [];
    let after = null as { dueAtUs: number; transactionId: number } | null;
    for (let page = 0; page <= ids.length; page++) {
      const { jobs: found } = await stores.jobs.scan([{ shard: shardOf(1), after }], { withinMs: 1_000, max: 2 });
      seen.push(...found.map(({ transactionId }) => transactionId));
      after = found.at(-1) ?? after;
      if (found.length === 0) break;
    }
    expect(seen).toEqual(ids);
  });

  it('a scan returns its clock: the next scan starts there and does not read earlier jobs again (P-I7)', async () => {
    await stores.jobs.arm([job(1)], 0);
    const scan = (after: { dueAtUs: number; transactionId: number } | null) =>
      stores.jobs.scan([{ shard: shardOf(1), after }], { withinMs: hourMs, max: 10 });
    const { jobs, nowUs } = await scan(null);
    expect(jobs[0]!.dueAtUs).toBeLessThanOrEqual(nowUs);
    const from = { dueAtUs: nowUs, transactionId: 0 };
    expect((await scan(from)).jobs).toEqual([]);
    const second = Array.from({ length: 5_000 }, (_, at) => at + 2).find(id => shardOf(id) === shardOf(1))!;
    await stores.jobs.arm([job(second)], hourMs / 2);
    expect((await scan(from)).jobs.map(({ transactionId }) => transactionId)).toEqual([second]);
  });

  it('a low-water mark never hides a job that is younger than the safety distance', async () => {
    await stores.jobs.arm([job(1)], 0);
    const { jobs } = await stores.jobs.scan([{ shard: shardOf(1), after: null }], { withinMs: 1_000, max: 1 });
    await stores.jobs.advance([{ shard: shardOf(1), dueAtUs: jobs[0]!.dueAtUs + 1_000_000 }]);
    expect(await dueNow(1)).toEqual([1]);
  });
}
