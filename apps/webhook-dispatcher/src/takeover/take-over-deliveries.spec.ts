import { settled } from '@paycode/service-runtime/timing/testing';
import type { DispatcherTables } from '../deliveries/testing/dispatcher-tables';
import { terminalEvent } from '../deliveries/testing/samples';
import { memoryStores, memoryTables, Replica } from '../dispatcher/testing/replica';
import { shardOf } from '@paycode/ownership';

describe('a delivery that a former owner left', () => {
  let tables: DispatcherTables;
  let nowMs: number;
  let dead: Replica;

  beforeEach(async () => {
    nowMs = 0;
    tables = memoryTables(() => nowMs);
    dead = await new Replica(memoryStores(tables)).own();
  });

  const heir = async (): Promise<Replica> => {
    const replica = await new Replica(memoryStores(tables)).takeOver();
    await settled();
    return replica;
  };

  describe('as in F-4, T-21, R-6.2-5', () => {
    it('that it had posted is posted once more, armed as the second attempt, and its 200 settles (A-13, P-1.2-8)', async () => {
      await dead.record(1);
      const { poster, scheduler } = await heir();
      expect(poster.posts.map(({ transactionId, attempt }) => [transactionId, attempt])).toEqual([[1, 2]]);
      expect(scheduler.armed).toEqual([{ transactionId: 1, merchantId: 1001, attempt: 2 }]);
      poster.posts[0]!.answer(200);
      await settled();
      expect(tables.verdicts.get(1)?.kind).toBe('ACKED_HTTP');
    });
  });

  it('is posted again in the payload version of its first attempt, also after the merchant has chosen another (R-9-2)', async () => {
    dead.routes.version = 'V4';
    await dead.record(1);
    const replica = new Replica(memoryStores(tables));
    replica.routes.version = 'V5';
    await replica.takeOver();
    await settled();
    await replica.record(2);
    expect([...dead.poster.posts, ...replica.poster.posts].map(({ request }) => request.body.split(' ')[1])).toEqual(['V4', 'V4', 'V5']); // prettier-ignore
  });

  it('that it had concluded is left alone (P-I8)', async () => {
    await dead.record(1);
    dead.poster.posts[0]!.answer(200);
    await settled();
    expect((await heir()).poster.ids).toEqual([]);
  });

  it('after two attempts is closed without a third (A-13, P-I8)', async () => {
    await dead.record(1);
    await heir();
    const third = await heir();
    expect([third.poster.ids, tables.verdicts.get(1)?.kind]).toEqual([[], 'CLOSED_EXHAUSTED']);
  });

  it('that it had posted is posted again however old it is; only an unsent one ends by its age (P-1.2-10)', async () => {
    await dead.record(1);
    nowMs = 3_600_000;
    expect((await heir()).poster.ids).toEqual([1]);
  });

  it('is taken over also beyond the first page of a shard (P-I7)', async () => {
    const ofOneShard = Array.from({ length: 100_000 }, (_, at) => at + 1).filter(id => shardOf(id) === shardOf(1));
    const ids = ofOneShard.slice(0, 250);
    // The heir claims every delivery that was posted and not concluded, however many deliveries of the endpoint wait.
    for (const id of ids) {
      await dead.record(id);
      tables.attempts.set(id, new Map([[1, { epoch: 1, version: 'V3' }]]));
      tables.deliveries.get(id)!.epoch = 1;
    }
    const { queue } = (await heir()).dispatcher;
    expect(ids.filter(id => !queue.has(id))).toEqual([]);
  });

  it('is not closed by the fenced former owner, whose failure comes too late (F-48, P-1.2-6)', async () => {
    await dead.record(1);
    const { poster } = await heir();
    dead.poster.posts[0]!.answer(500);
    await settled();
    expect(tables.verdicts.has(1)).toBe(false);
    poster.posts[0]!.answer(200);
    await settled();
    expect(tables.verdicts.get(1)?.kind).toBe('ACKED_HTTP');
  });
});

describe('the search for deliveries that other replicas stored', () => {
  it('finds them within four passes, however long nothing came (P-I7)', async () => {
    const tables = memoryTables();
    const replica = await new Replica(memoryStores(tables)).own();
    const other = new Replica(memoryStores(tables));
    const passes = async (count: number) => {
      for (let pass = 0; pass < count; pass++) {
        await replica.clock.advance(250);
        await replica.dispatcher.shards.pass();
        await replica.dispatcher.takeover.pass();
      }
      await settled();
    };
    await passes(200);
    const ids = Array.from({ length: 20 }, (_, at) => at + 1);
    await other.dispatcher.intake.record(ids.map(id => terminalEvent(id)));
    await passes(4);
    expect(replica.poster.ids.sort((a, b) => a - b)).toEqual(ids);
  });
});
