import { ManualClock, settled } from '@paycode/service-runtime/timing/testing';
import { atOnce, DispatcherTables } from '../deliveries/testing/dispatcher-tables';
import { MemoryPauses } from '../deliveries/testing/memory-verdict.store';
import { memoryStores, memoryTables, Replica } from '../dispatcher/testing/replica';
import { EndpointPauses } from './endpoint-pauses';

const endpoint = 'https://shop.example';

describe('pauses as a replica knows them (A-99)', () => {
  let clock: ManualClock;
  let tables: DispatcherTables;
  let pauses: EndpointPauses;
  let isAway: boolean;
  beforeEach(() => {
    clock = new ManualClock();
    tables = new DispatcherTables([], () => clock.nowMs());
    isAway = false;
    pauses = new EndpointPauses(
      new MemoryPauses(tables, effect => (isAway ? Promise.reject(new Error('away')) : atOnce(effect))),
      clock,
    );
  });

  it('end by themselves at their time, also while the database cannot be read', async () => {
    tables.pauses.set(endpoint, 60_000);
    await pauses.pass();
    isAway = true;
    await clock.advance(59_999);
    await expect(pauses.pass()).rejects.toThrow('away');
    expect([pauses.isPaused(endpoint), pauses.count]).toEqual([true, 1]);
    await clock.advance(1);
    expect([pauses.isPaused(endpoint), pauses.count]).toEqual([false, 0]);
  });

  it('ended by somebody are over with the next pass', async () => {
    tables.pauses.set(endpoint, 60_000);
    await pauses.pass();
    tables.pauses.delete(endpoint);
    await pauses.pass();
    expect(pauses.isPaused(endpoint)).toBe(false);
  });

  it('are read before a replica takes shards, once, and a failed reading is no answer', async () => {
    tables.pauses.set(endpoint, 60_000);
    isAway = true;
    await expect(pauses.known()).rejects.toThrow('away');
    isAway = false;
    await pauses.known();
    expect(pauses.isPaused(endpoint)).toBe(true);
    isAway = true;
    await pauses.known();
  });

  it('are reported when they begin, not at each pass', async () => {
    let calls = 0;
    pauses.onPaused(() => calls++);
    await pauses.pass();
    tables.pauses.set(endpoint, 60_000);
    await pauses.pass();
    await pauses.pass();
    expect(calls).toBe(1);
  });
});

const minuteMs = 60_000;

/** Dispatchers on shared tables, as people on call pause the endpoint of their only merchant. */
describe('deliveries to an endpoint that is paused (A-99)', () => {
  let tables: DispatcherTables;
  let nowMs: number;
  let replica: Replica;

  beforeEach(async () => {
    nowMs = 0;
    tables = memoryTables(() => nowMs);
    replica = await new Replica(memoryStores(tables)).own();
  });
  const pauseFor = async (durationMs: number) => {
    tables.pauses.set(endpoint, nowMs + durationMs);
    await replica.dispatcher.pauses.pass();
    await settled();
  };
  /** The passes of a replica in that time. */
  const passTime = async (ms: number, of = replica) => {
    nowMs += ms;
    await of.clock.advance(ms);
    await of.dispatcher.shards.pass();
    await of.dispatcher.pauses.pass();
    of.dispatcher.overdue.pass();
    await of.recoverAll();
    await settled();
  };
  const armedBy = ({ scheduler }: Replica) => scheduler.armed.map(({ transactionId }) => transactionId);

  it('wait in the database, unarmed and outside memory, and are posted in order when the pause is over (P-I5)', async () => {
    await pauseFor(10 * minuteMs);
    await replica.record(1, 2, 3);
    await passTime(10 * minuteMs - 1);
    expect([armedBy(replica), replica.poster.ids, replica.dispatcher.queue.load.held]).toEqual([[], [], 0]);
    // Nobody is paged because of a pause, and no dispatcher is added.
    expect(replica.dispatcher.queue.load.oldestUnattemptedAgeMs).toBe(0);
    expect(tables.verdicts.size).toBe(0);
    await passTime(1);
    expect([armedBy(replica), replica.poster.ids]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    for (const post of replica.poster.posts) post.answer(200);
    await settled();
    expect([1, 2, 3].map(id => tables.verdicts.get(id)?.kind)).toEqual(['ACKED_HTTP', 'ACKED_HTTP', 'ACKED_HTTP']);
  });

  it('whose request is under way go on, and are acknowledged or reversed as without the pause (P-I4)', async () => {
    await replica.record(1, 2);
    await pauseFor(10 * minuteMs);
    const [first, second] = replica.poster.posts;
    first!.answer(200);
    second!.answer(500);
    await settled();
    expect([1, 2].map(id => tables.verdicts.get(id)?.kind)).toEqual(['ACKED_HTTP', 'CLOSED_NON200']);
  });

  it('that waited for a slot when the pause began leave memory, and come before later ones when somebody ends it', async () => {
    replica = await new Replica(memoryStores(tables), { settings: { slotsMax: 16 } }).takeOver();
    // The endpoint's slots are taken: the rest waits in memory.
    const ids = Array.from({ length: 60 }, (_, at) => at + 1);
    await replica.record(...ids);
    const begun = replica.poster.ids.length;
    expect(begun).toBeLessThan(60);
    await pauseFor(10 * minuteMs);
    for (const post of [...replica.poster.posts]) post.answer(200);
    await settled();
    await replica.record(61);
    const started = replica.poster.ids.length;
    await passTime(minuteMs);
    expect(replica.poster.ids).toHaveLength(started);
    expect(tables.verdicts.size).toBe(begun);
    tables.pauses.clear();
    for (let pass = 0; pass < 30 && tables.verdicts.size < 61; pass++) {
      await passTime(1_000);
      for (const post of replica.poster.posts) if (!tables.verdicts.has(post.transactionId)) post.answer(200);
      await settled();
    }
    expect(replica.poster.ids).toEqual([...ids, 61]);
  });

  it('are kept by another replica that takes over meanwhile, and by none for longer than the pause (P-I7, P-I8)', async () => {
    await pauseFor(10 * minuteMs);
    await replica.record(1);
    const heir = new Replica(memoryStores(tables));
    nowMs += minuteMs;
    await heir.takeOver();
    await settled();
    expect([armedBy(heir), heir.poster.ids]).toEqual([[], []]);
    await passTime(9 * minuteMs, heir);
    expect([heir.poster.ids, heir.poster.posts[0]?.attempt]).toEqual([[1], 1]);
  });

  it('that a dead replica had posted are posted once more at once: their reversal is armed (A-13)', async () => {
    await replica.record(1);
    await pauseFor(10 * minuteMs);
    const heir = await new Replica(memoryStores(tables)).takeOver();
    await settled();
    expect(heir.poster.posts.map(({ transactionId, attempt }) => [transactionId, attempt])).toEqual([[1, 2]]);
  });

  it('of other endpoints go on', async () => {
    await pauseFor(10 * minuteMs);
    replica.routes.url = 'https://other.example/hook';
    await replica.record(1);
    expect(replica.poster.ids).toEqual([1]);
  });

  it('that wait longer than B are closed when the pause is over, as without it (A-12)', async () => {
    await pauseFor(20 * minuteMs);
    await replica.record(1);
    await passTime(20 * minuteMs);
    expect([replica.poster.ids, tables.verdicts.get(1)?.kind]).toEqual([[], 'CLOSED_BACKSTOP']);
  });
});
