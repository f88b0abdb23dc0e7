import { ManualClock, settled } from '@paycode/service-runtime/timing/testing';
import { eventually } from '@paycode/service-runtime/testing';
import type { DispatcherTables } from '../deliveries/testing/dispatcher-tables';
import { type FakePost, FakeScheduler, RecordingMetrics } from '../dispatcher/testing/fakes';
import { type DispatcherStores, memoryStores, memoryTables, Replica } from '../dispatcher/testing/replica';
import { SettleReversals } from './settle-reversals';

describe('after a POST', () => {
  let tables: DispatcherTables;
  let stores: DispatcherStores;
  let replica: Replica;

  beforeEach(async () => {
    tables = memoryTables();
    stores = memoryStores(tables);
    replica = await new Replica(stores).own();
    await replica.record(1);
  });

  const verdictOf = (id: number) => tables.verdicts.get(id)?.kind;
  const lastPost = (): FakePost => replica.poster.posts.at(-1)!;

  it.each([201, 500])('%d is recorded as CLOSED_NON200, and the scheduler gets the verdict at once (R-1-7)', async status => {
    lastPost().answer(status);
    await settled();
    expect(verdictOf(1)).toBe('CLOSED_NON200');
    expect(replica.scheduler.settled).toEqual([{ transactionId: 1, merchantId: 1001, verdict: 'CLOSED_NON200' }]);
  });

  it('200 is recorded as ACKED_HTTP, and said once: by AckReceived, with the time of the answer (R-1-7, A-104)', async () => {
    const answeredMs = replica.clock.epochMs();
    jest.spyOn(stores.verdicts, 'acknowledge').mockRejectedValueOnce(new Error('database down'));
    lastPost().answer(200);
    await settled();
    await replica.clock.advance(10_000);
    expect(verdictOf(1)).toBe('ACKED_HTTP');
    const said = [...tables.outbox.values()].map(({ data }) => data);
    expect(said).toMatchObject([{ transactionId: 1, acknowledgedAt: new Date(answeredMs).toISOString() }]);
    expect([replica.scheduler.settled, replica.metrics.acknowledgements]).toEqual([[], 1]);
  });

  it('a 200 after the merchant has read the notification is one acknowledgement, not two (P-I1)', async () => {
    tables.insertVerdict(1, { kind: 'ACKED_PULL', attempt: null, startedAtMs: null });
    lastPost().answer(200);
    await settled();
    expect([verdictOf(1), replica.metrics.acknowledgements]).toEqual(['ACKED_PULL', 0]);
  });

  it('a receiver that breaks the connection is closed (P-1.2-6)', async () => {
    lastPost().fail();
    await settled();
    expect(verdictOf(1)).toBe('CLOSED_CONN');
  });

  it('a delivery without an answer for 45 s is closed, and its request ended (P-T1, R-8-1)', async () => {
    await replica.clock.advance(45_000);
    expect([verdictOf(1), lastPost().isAborted]).toEqual(['CLOSED_TIMEOUT', true]);
  });

  it('a fault of the platform decides nothing; the next attempt is claimed anew (P-T8, F-46)', async () => {
    lastPost().fail({ code: 'EMFILE', isOurs: true });
    await settled();
    expect(replica.metrics.faults).toMatchObject([{ code: 'EMFILE' }]);
    expect(verdictOf(1)).toBeUndefined();
    await replica.dispatcher.shards.pass();
    await replica.clock.advance(1_000);
    expect(replica.poster.posts.map(post => post.attempt)).toEqual([1, 2]);
  });

  it('a second attempt that fails by a fault of the platform is the last one (P-I8)', async () => {
    lastPost().fail({ code: 'EMFILE', isOurs: true });
    await replica.dispatcher.shards.pass();
    await replica.clock.advance(1_000);
    lastPost().fail({ code: 'EMFILE', isOurs: true });
    await settled();
    expect([replica.poster.posts.length, verdictOf(1)]).toEqual([2, 'CLOSED_EXHAUSTED']);
  });

  it('an existing verdict is not overwritten (P-I1)', async () => {
    tables.insertVerdict(1, { kind: 'ACKED_PULL', attempt: null, startedAtMs: null });
    lastPost().answer(500);
    await settled();
    expect(verdictOf(1)).toBe('ACKED_PULL');
  });
});

describe('reporting verdicts to the scheduler', () => {
  const item = (transactionId: number) => ({ transactionId, merchantId: 1, verdict: 'CLOSED_NON200' as const });
  let clock: ManualClock;
  let scheduler: FakeScheduler;
  let settling: SettleReversals;
  let metrics: RecordingMetrics;
  const sent = () => scheduler.settled.map(each => each.transactionId);

  beforeEach(() => {
    clock = new ManualClock();
    scheduler = new FakeScheduler();
    metrics = new RecordingMetrics();
    settling = new SettleReversals(scheduler, clock, metrics);
  });

  it('reports the first verdict at once and gathers those that come meanwhile', async () => {
    settling.add(item(1));
    await settled();
    expect(sent()).toEqual([1]);
    settling.add(item(2));
    settling.add(item(3));
    await settled();
    expect(sent()).toEqual([1]);
    await clock.advance(10);
    expect(sent()).toEqual([1, 2, 3]);
  });

  it('waits while there is nothing to send, and sends what comes then at once', async () => {
    settling.add(item(1));
    await settled();
    await clock.advance(10);
    expect(clock.timerCount).toBe(0);
    settling.add(item(2));
    await settled();
    expect(sent()).toEqual([1, 2]);
  });

  it('keeps verdicts that could not be reported and retries with growing pauses', async () => {
    scheduler.fault = new Error('scheduler down');
    const calls = jest.spyOn(scheduler, 'settle');
    settling.add(item(1));
    await settled();
    const after = async (ms: number) => {
      await clock.advance(ms);
      return calls.mock.calls.length;
    };
    expect([await after(99), await after(1), await after(199), await after(1), await after(400)]).toEqual([1, 2, 2, 3, 4]);
    await clock.advance(60_000);
    scheduler.fault = undefined;
    await clock.advance(5_000);
    expect(sent()).toEqual([1]);
  });

  it('a verdict that the scheduler refuses is not reported again; the others are (T-29)', async () => {
    scheduler.refused = 3;
    for (let id = 1; id <= 8; id++) settling.add(item(id));
    await eventually(async () => {
      await clock.advance(1_000);
      expect([...sent()].sort()).toEqual([1, 2, 4, 5, 6, 7, 8]);
    });
    expect(metrics.parkedWork).toEqual(['settle 3']);
  });

  it('keeps a bounded number, because the timer covers the oldest', async () => {
    scheduler.fault = new Error('scheduler down');
    for (let id = 1; id <= 60_000; id++) settling.add(item(id));
    await settled();
    scheduler.fault = undefined;
    await clock.advance(60_000);
    expect(sent().length).toBeLessThanOrEqual(50_000);
    expect(sent().at(-1)).toBe(60_000);
  });

  it('drops the oldest thousand for the one beyond fifty thousand, none before', async () => {
    const sendMany = async (count: number) => {
      for (let id = 1; id <= count; id++) settling.add(item(id));
      await settled();
      await clock.advance(1_000);
      return scheduler.settled.splice(0);
    };
    expect(await sendMany(50_001)).toHaveLength(50_001);
    const [first, second] = await sendMany(50_002);
    expect([first, second]).toEqual([item(1), item(1_002)]);
  });

  it('says nothing of a 200, which AckReceived says; of a read it does, because AckReceived settles armed payments alone, and of no webhook, for no event says that (A-104, A-09)', async () => {
    for (const [at, verdict] of (['ACKED_HTTP', 'ACKED_PULL', 'NOT_APPLICABLE'] as const).entries())
      settling.add({ ...item(at + 1), verdict });
    await settled();
    await clock.advance(10);
    expect(sent()).toEqual([2, 3]);
    await clock.advance(10);
    expect(clock.timerCount).toBe(0);
  });

  it('drain reports the rest without waiting', async () => {
    settling.add(item(1));
    settling.add(item(2));
    await settling.drain();
    expect(sent().sort()).toEqual([1, 2]);
  });
});
