import type { AckReceived } from '@paycode/dto';
import type { ShardStore } from '@paycode/ownership';
import type { InformationalStore } from '../../informational/informational.store';
import type { OwnedVerdict, VerdictStore } from '../../verdicts/verdict.store';
import type { DeliveryStore, DeliveryToInsert, ShardCursor } from '../deliveries.ports';
import type { Delivery } from '../domain/delivery';

export interface DispatcherStoresUnderTest {
  shards: ShardStore;
  deliveries: DeliveryStore;
  verdicts: VerdictStore;
  informational: InformationalStore;
  /** AckReceived events waiting to be published. */
  outbox(): Promise<Pick<AckReceived, 'transactionId' | 'source'>[]>;
  close(): Promise<void>;
}

const [me, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
const payload = 'sealed';

const fresh = (transactionId: number, over: Partial<DeliveryToInsert> = {}) => ({
  transactionId,
  merchantId: 7,
  shard: transactionId % 4,
  kind: 'PURCHASE' as const,
  status: 'SUCCESS',
  isReversible: true,
  referenceTransactionId: 0,
  completedAt: '2026-01-01T00:00:00.000Z',
  payload,
  offset: 5,
  step: 0,
  epoch: 1,
  version: 'V3',
  ...over,
});
const held = (transactionId: number, over: Partial<Delivery> = {}): Delivery => ({
  ...fresh(transactionId),
  attempt: 1,
  isClaimed: true,
  receivedMs: 0,
  isRepeat: false,
  armedAtMs: null,
  zoneFailedMs: null,
  ...over,
});
const verdict = (transactionId: number, kind: OwnedVerdict['kind'], over: Partial<OwnedVerdict> = {}): OwnedVerdict => ({
  transactionId,
  merchantId: 7,
  shard: transactionId % 4,
  epoch: 1,
  kind,
  attempt: 1,
  outcome: null,
  elapsedMs: null,
  armedAt: null,
  startedAt: null,
  retryAfterMs: null,
  ...over,
});
const item = (transactionId: number) => ({ transactionId, merchantId: 7, shard: transactionId % 4 });
const ids = (rows: readonly { transactionId: number }[]) => rows.map(({ transactionId }) => transactionId).sort((a, b) => a - b);

/** Rules that the dispatcher's stores keep, in memory and in PostgreSQL alike. The simulation relies on them. */
export function dispatcherStoresConformance(open: () => Promise<DispatcherStoresUnderTest>): void {
  let stores: DispatcherStoresUnderTest;

  /** `replica` takes shards 0 to 3 from their present owner. */
  const takeAll = async (replica: string) => {
    const rows = (await stores.shards.heartbeat(replica)).shards.filter(({ shard }) => shard < 4);
    return stores.shards.take(replica, rows);
  };
  const sweep = (replica: string, shards: ShardCursor[], exceptMerchants: number[] = []) =>
    stores.deliveries.sweep(replica, shards, { limitPerShard: 10, exceptMerchants });
  const cursors = (epoch: number, afterSeq = 0) => [0, 1, 2, 3].map(shard => ({ shard, epoch, afterSeq }));

  beforeEach(async () => {
    stores = await open();
    await takeAll(me);
  });
  afterEach(() => stores.close());

  describe('ingest', () => {
    it('stores each transaction once; claims only under the epoch at which the shard is held (P-I10)', async () => {
      const first = await stores.deliveries.insert(me, [fresh(1), fresh(1), fresh(2, { epoch: 0 }), fresh(3, { epoch: 9 })]);
      expect(new Map(first.map(({ transactionId, epoch }) => [transactionId, epoch]))).toEqual(new Map([[1, 1], [2, 0], [3, 0]])); // prettier-ignore
      expect(await stores.deliveries.insert(other, [fresh(1), fresh(4)])).toMatchObject([{ transactionId: 4, epoch: 0 }]);
    });

    it('distinguishes known content from different content, and open from resolved (T-19)', async () => {
      await stores.deliveries.insert(me, [fresh(1), fresh(2)]);
      await stores.verdicts.acknowledge([verdict(2, 'ACKED_HTTP')]);
      const known = await stores.deliveries.known([fresh(1, { merchantId: 8 }), fresh(2), fresh(3)]);
      expect(known.sort((a, b) => a.transactionId - b.transactionId)).toEqual([
        { transactionId: 1, isSame: false, epoch: 1, version: 'V3', isOpen: true },
        { transactionId: 2, isSame: true, epoch: 1, version: 'V3', isOpen: false },
      ]);
    });

    it('a transaction that was closed before it came is never delivered (P-1.2-9)', async () => {
      expect(await stores.deliveries.close([item(1)])).toEqual([{ transactionId: 1, verdict: 'CLOSED_NEVER_SENT' }]);
      expect(await stores.deliveries.insert(me, [fresh(1)])).toEqual([]);
      expect(await stores.deliveries.known([fresh(1)])).toEqual([
        { transactionId: 1, isSame: true, epoch: 0, version: 'V3', isOpen: false },
      ]);
      expect(await stores.deliveries.orphaned(cursors(5), 10)).toEqual([]);
    });

    it('closes no transaction that is not stored by another entry of the map than that of its range (P-1.12)', async () => {
      expect(await stores.deliveries.close([{ ...item(1), step: 1 }])).toEqual([]);
      const answers = await stores.deliveries.close([{ ...item(1), step: 0 }, item(2)]);
      const closed = (transactionId: number) => ({ transactionId, verdict: 'CLOSED_NEVER_SENT' });
      expect(answers.sort((a, b) => a.transactionId - b.transactionId)).toEqual([closed(1), closed(2)]);
    });

    it('close leaves every delivery that came open, whether held or not (P-I4)', async () => {
      await stores.deliveries.insert(me, [fresh(1), fresh(2, { epoch: 0 })]);
      await stores.verdicts.acknowledge([verdict(3, 'ACKED_PULL')]);
      const answers = await stores.deliveries.close([item(1), item(2)]);
      expect(answers.map(answer => answer.verdict)).toEqual(['OPEN', 'OPEN']);
    });
  });

  describe('claims', () => {
    it('one claim per attempt and epoch, repeatable, never for a former owner or a resolved delivery (P-I8)', async () => {
      await stores.deliveries.insert(me, [fresh(1, { epoch: 0 }), fresh(2, { epoch: 0 })]);
      expect(await stores.deliveries.claimAttempts(me, [held(1)])).toEqual([1]);
      expect(await stores.deliveries.claimAttempts(me, [held(1)])).toEqual([1]);
      expect(await stores.deliveries.claimAttempts(me, [held(2, { epoch: 9 })])).toEqual([]);
      await takeAll(other);
      expect(await stores.deliveries.claimAttempts(me, [held(2)])).toEqual([]);
      expect(await stores.deliveries.claimAttempts(other, [held(1, { epoch: 2 })])).toEqual([]);
      expect(await stores.deliveries.claimAttempts(other, [held(1, { epoch: 2, attempt: 2 })])).toEqual([1]);
      await stores.verdicts.acknowledge([verdict(2, 'ACKED_PULL')]);
      expect(await stores.deliveries.claimAttempts(other, [held(2, { epoch: 2 })])).toEqual([]);
    });
  });

  describe('recovery', () => {
    it('finds the deliveries that former owners claimed and left open, with their attempts (P-1.2-8)', async () => {
      await stores.deliveries.insert(me, [fresh(1), fresh(2), fresh(3, { epoch: 0 }), fresh(5)]);
      await stores.deliveries.claimAttempts(me, [held(5, { attempt: 2 })]);
      await stores.verdicts.acknowledge([verdict(2, 'ACKED_HTTP')]);
      expect(await stores.deliveries.orphaned(cursors(1), 10)).toEqual([]);
      const found = await stores.deliveries.orphaned(cursors(2), 10);
      expect(found.map(({ transactionId, attemptsClaimed }) => [transactionId, attemptsClaimed])).toEqual([[1, 1], [5, 2]]); // prettier-ignore
      expect(found[0]).toMatchObject({ merchantId: 7, shard: 1, isReversible: true, payload });
      expect(ids(await stores.deliveries.orphaned(cursors(2, found[0]!.seq), 10))).toEqual([5]);
      expect(ids(await stores.deliveries.orphaned(cursors(2), 1))).toEqual([1]);
    });

    it('sweeps unclaimed deliveries behind resolved ones, only for the owner', async () => {
      await stores.deliveries.insert(me, [fresh(1, { epoch: 0 }), fresh(5, { epoch: 0 }), fresh(9, { epoch: 0 })]);
      const lane1 = async (...of: Parameters<typeof sweep>) => (await sweep(...of)).find(({ shard }) => shard === 1)!;
      const { horizonSeq, unclaimed } = await lane1(me, cursors(1));
      expect(ids(unclaimed)).toEqual([1, 5, 9]);
      await stores.verdicts.acknowledge([verdict(1, 'ACKED_PULL'), verdict(5, 'ACKED_PULL')]);
      expect(ids((await lane1(me, cursors(1))).unclaimed)).toEqual([9]);
      expect((await lane1(me, cursors(1, horizonSeq))).unclaimed).toEqual([]);
      expect([await sweep(other, cursors(1)), await sweep(me, cursors(2))]).toEqual([[], []]);
    });
  });

  describe('the payload version (R-9-2)', () => {
    const versions = (rows: readonly { transactionId: number; version: string | null }[]) =>
      rows.map(({ transactionId, version }) => [transactionId, version]).sort(([a], [b]) => Number(a) - Number(b));

    it('is the one of the first claim, by the insert or apart; an unclaimed delivery has none', async () => {
      await stores.deliveries.insert(me, [fresh(1), fresh(2, { version: 'V4' }), fresh(3, { version: 'V4', epoch: 0 })]);
      const swept = await sweep(me, cursors(1));
      expect(versions(swept.flatMap(({ unclaimed }) => unclaimed))).toEqual([[3, null]]);
      await stores.deliveries.claimAttempts(me, [held(3, { version: 'V5' })]);
      const waiting = await stores.deliveries.waiting([3], [{ merchantId: 7, afterSeq: 0, limit: 10 }]);
      expect(versions(waiting)).toEqual([[3, 'V5']]);
      expect(versions(await stores.deliveries.orphaned(cursors(2), 10))).toEqual([[1, 'V3'], [2, 'V4']]); // prettier-ignore
      expect((await stores.deliveries.known([fresh(2, { version: 'V3' })]))[0]).toMatchObject({ version: 'V4' });
    });

    it('of an attempt that is claimed again before it is sent is the last one, also when the insert claimed it', async () => {
      await stores.deliveries.insert(me, [fresh(1)]);
      for (const version of ['V4', 'V5']) await stores.deliveries.claimAttempts(me, [held(1, { version })]);
      const [found] = await stores.deliveries.orphaned(cursors(2), 10);
      expect(found).toMatchObject({ version: 'V5', attemptsClaimed: 1 });
    });

    it('stays that of the first attempt, whatever a later one names', async () => {
      await stores.deliveries.insert(me, [fresh(1, { epoch: 0 }), fresh(5, { version: 'V4' })]);
      await stores.deliveries.claimAttempts(me, [held(1, { version: 'V4' })]);
      await stores.deliveries.claimAttempts(me, [held(1, { attempt: 2, version: 'V5' })]);
      expect(versions(await stores.deliveries.waiting([1], [{ merchantId: 7, afterSeq: 0, limit: 10 }]))).toEqual([[1, 'V4']]); // prettier-ignore
    });
  });

  describe('a long queue', () => {
    it('is read merchant by merchant, and left out of the sweep meanwhile', async () => {
      const of = (merchantId: number) => ({ epoch: 0, merchantId });
      await stores.deliveries.insert(me, [fresh(1, of(7)), fresh(2, of(8)), fresh(5, of(7)), fresh(9, of(7)), fresh(13)]);
      await stores.verdicts.acknowledge([verdict(5, 'ACKED_PULL')]);
      const waiting = await stores.deliveries.waiting([1, 2], [{ merchantId: 7, afterSeq: 0, limit: 10 }, { merchantId: 8, afterSeq: 0, limit: 1 }]); // prettier-ignore
      expect(waiting.map(({ transactionId }) => transactionId)).toEqual([1, 9, 2]);
      const after = await stores.deliveries.waiting([1, 2], [{ merchantId: 7, afterSeq: waiting[0]!.seq, limit: 1 }]);
      expect(ids(after)).toEqual([9]);
      expect(await stores.deliveries.waiting([2, 3], [{ merchantId: 7, afterSeq: 0, limit: 10 }])).toEqual([]);
      const swept = await sweep(me, cursors(1), [7]);
      expect(ids(swept.flatMap(({ unclaimed }) => unclaimed))).toEqual([2]);
    });
  });

  describe('verdicts', () => {
    it('the first verdict is kept, whatever later one comes (P-I1)', async () => {
      await stores.deliveries.insert(me, [fresh(1), fresh(2)]);
      expect(await stores.verdicts.acknowledge([verdict(1, 'ACKED_HTTP'), verdict(1, 'ACKED_PULL')])).toEqual([
        'ACKED_HTTP',
        'ACKED_HTTP',
      ]);
      expect(await stores.verdicts.conclude(me, [verdict(1, 'CLOSED_TIMEOUT'), verdict(2, 'CLOSED_CONN')])).toEqual([
        'ACKED_HTTP',
        'CLOSED_CONN',
      ]);
      expect(await stores.verdicts.acknowledge([verdict(2, 'ACKED_PULL')])).toEqual(['CLOSED_CONN']);
      expect(await stores.deliveries.close([item(1), item(2)])).toEqual(
        expect.arrayContaining([{ transactionId: 1, verdict: 'ACKED_HTTP' }, { transactionId: 2, verdict: 'CLOSED_CONN' }]), // prettier-ignore
      );
    });

    it('each written acknowledgement, and no other, leaves an AckReceived (T-18)', async () => {
      await stores.deliveries.insert(me, [fresh(1), fresh(2), fresh(3)]);
      await stores.verdicts.acknowledge([verdict(1, 'ACKED_HTTP'), verdict(2, 'ACKED_PULL')]);
      await stores.verdicts.acknowledge([verdict(1, 'ACKED_PULL')]);
      await stores.verdicts.conclude(me, [verdict(3, 'CLOSED_NON200')]);
      const acks = (await stores.outbox()).map(({ transactionId, source }) => [transactionId, source]);
      expect(acks.sort()).toEqual([[1, 'WEBHOOK'], [2, 'RECOVERY']]); // prettier-ignore
    });

    it('a read acknowledges no payment that the core has reversed; the 200 of a receiver does, and a failed reversal hinders nothing (A-14)', async () => {
      const reversal = (id: number, referenceTransactionId: number, status: string) =>
        fresh(id, { kind: 'REVERSAL', status, isReversible: false, referenceTransactionId });
      const reversals = [reversal(11, 1, 'REVERSED'), reversal(12, 2, 'REVERSED'), reversal(13, 3, 'FAILED')];
      await stores.deliveries.insert(me, [fresh(1), fresh(2), fresh(3), fresh(4), ...reversals]);
      const reads = [1, 3, 4].map(id => verdict(id, 'ACKED_PULL'));
      expect(await stores.verdicts.acknowledge([...reads, verdict(2, 'ACKED_HTTP')])).toEqual([
        null,
        'ACKED_PULL',
        'ACKED_PULL',
        'ACKED_HTTP',
      ]);
      expect((await stores.outbox()).map(({ transactionId }) => transactionId).sort()).toEqual([2, 3, 4]);
      expect(await stores.verdicts.acknowledge([verdict(1, 'ACKED_HTTP'), verdict(1, 'ACKED_PULL')])).toEqual(['ACKED_HTTP', 'ACKED_HTTP']); // prettier-ignore
    });

    it('the fence: a negative verdict only from the owner at its epoch, a positive one from anybody', async () => {
      await stores.deliveries.insert(me, [fresh(1), fresh(2)]);
      await takeAll(other);
      expect(await stores.verdicts.conclude(me, [verdict(1, 'CLOSED_TIMEOUT')])).toEqual([null]);
      expect(await stores.verdicts.conclude(other, [verdict(1, 'CLOSED_TIMEOUT')])).toEqual([null]);
      expect(await stores.verdicts.acknowledge([verdict(2, 'ACKED_HTTP')])).toEqual(['ACKED_HTTP']);
      expect(await stores.verdicts.conclude(other, [verdict(1, 'CLOSED_TIMEOUT', { epoch: 2 })])).toEqual(['CLOSED_TIMEOUT']);
    });

    it('of two verdicts for one transaction in a batch one stands, each is checked by its own epoch, and both get the result (P-I6)', async () => {
      await stores.deliveries.insert(me, [fresh(1), fresh(2)]);
      const [stale, backstop] = [verdict(1, 'NOT_APPLICABLE', { epoch: 9 }), verdict(1, 'CLOSED_BACKSTOP')];
      expect(await stores.verdicts.conclude(me, [stale, backstop])).toEqual([null, 'CLOSED_BACKSTOP']);
      const both = [verdict(2, 'NOT_APPLICABLE'), verdict(2, 'CLOSED_BACKSTOP')];
      expect(await stores.verdicts.conclude(me, both)).toEqual(['NOT_APPLICABLE', 'NOT_APPLICABLE']);
    });
  });

  describe('notices', () => {
    it('a failed notice is due again after each pause until it ends; a replica that takes it hides it for the lease', async () => {
      const notice = { isReversible: false, status: 'BANK_REJECTED', version: 'V4' };
      await stores.deliveries.insert(me, [fresh(1, notice), fresh(5, notice)]);
      await stores.verdicts.conclude(me, [
        verdict(1, 'NOT_APPLICABLE', { retryAfterMs: 0 }),
        verdict(5, 'NOT_APPLICABLE', { retryAfterMs: 60_000 }),
      ]);
      expect(await stores.informational.takeDue([0, 2, 3], 10, 60_000)).toEqual([]);
      // This replica vanishes with it.
      expect(await stores.informational.takeDue([1], 10, 0)).toHaveLength(1);
      const taken = await Promise.all([1, 2].map(() => stores.informational.takeDue([1], 10, 60_000)));
      expect(taken.flat()).toMatchObject([{ transactionId: 1, attempt: 2, version: 'V4', payload }]);
      expect(await stores.informational.takeDue([1], 10, 60_000)).toEqual([]);
      const shown = { outcome: 'TIMEOUT', elapsedMs: 1, startedAt: null };
      const attempt = { transactionId: 1, attempt: 2, epoch: 1, version: 'V4', ...shown };
      await stores.informational.finish([{ ...attempt, retryAfterMs: 0 }]);
      expect(await stores.informational.takeDue([1], 10, 60_000)).toMatchObject([{ attempt: 3, version: 'V4' }]);
      await stores.informational.finish([{ ...attempt, attempt: 3, retryAfterMs: null }]);
      expect(await stores.informational.takeDue([1], 10, 0)).toEqual([]);
    });
  });
}
