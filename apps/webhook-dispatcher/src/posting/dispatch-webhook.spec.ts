import { settled } from '@paycode/service-runtime/timing/testing';
import type { DispatcherTables } from '../deliveries/testing/dispatcher-tables';
import { memoryStores, memoryTables, Replica } from '../dispatcher/testing/replica';

describe('a delivery from its slot to its end', () => {
  let tables: DispatcherTables;
  let replica: Replica;

  beforeEach(async () => {
    tables = memoryTables();
    replica = await new Replica(memoryStores(tables), { settings: { slotsMax: 4 } }).own();
  });

  it('no more requests are under way than an endpoint has slots; the others are not armed (P-1.9, P-I12)', async () => {
    await replica.record(1, 2, 3, 4, 5);
    expect([replica.poster.posts.length, replica.scheduler.armed.length]).toEqual([4, 4]);
    replica.poster.posts[0]!.answer(200);
    await settled();
    expect([replica.poster.ids, replica.scheduler.armed.length]).toEqual([[1, 2, 3, 4, 5], 5]);
  });

  it('the body is sealed for the route at the start, and the headers name transaction and attempt (P-I11)', async () => {
    await replica.record(7);
    const { request } = replica.poster.posts[0]!;
    const sentAtS = String(Math.floor(replica.clock.epochMs() / 1_000));
    expect(request.headers).toMatchObject({
      'x-webhook-transaction-id': '7',
      'x-webhook-attempt': '1',
      'x-webhook-timestamp': sentAtS,
    });
    expect(request.body).toContain('https://shop.example/hook');
  });

  describe('a request on a dead socket is not repeated, and the next attempt is for the owner (P-T6, P-T7, P-I8)', () => {
    const deadSocket = async () => {
      replica.poster.posts[0]!.fail({ isStaleSocket: true });
      await settled();
      return replica.poster.posts.map(({ attempt }) => attempt);
    };

    beforeEach(async () => {
      await replica.record(1);
      replica.poster.posts[0]!.sent();
    });

    it('while nothing else happened it is', async () => {
      await replica.clock.advance(4_999);
      expect(await deadSocket()).toEqual([1, 1]);
    });

    it('after half of a lease without a heartbeat: a successor may have posted', async () => {
      await replica.clock.advance(5_000);
      expect(await deadSocket()).toEqual([1]);
      await replica.dispatcher.shards.pass();
      await replica.clock.advance(2_000);
      expect(replica.poster.posts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    });

    it('after its shard has got another owner', async () => {
      const successor = await new Replica(memoryStores(tables)).takeOver();
      await replica.dispatcher.shards.pass();
      expect([await deadSocket(), successor.poster.posts.map(({ attempt }) => attempt)]).toEqual([[1], [2]]);
    });
  });

  it('without routes nothing is sent; deliveries leave once the routes are back (P-T8, F-44)', async () => {
    replica.routes.fault = new Error('away');
    await replica.record(1);
    expect([replica.poster.ids, tables.verdicts.size, replica.metrics.faults.length]).toEqual([[], 0, 1]);
    replica.routes.fault = undefined;
    await replica.dispatcher.shards.pass();
    await replica.clock.advance(2_000);
    expect(replica.poster.ids).toEqual([1]);
  });

  it('a payload that cannot be sealed causes no request and delays no other delivery (P-T8, T-29)', async () => {
    replica.sealer.fault = new Error('the key does not open');
    await replica.record(1);
    expect([replica.poster.ids, tables.verdicts.size]).toEqual([[], 0]);
    replica.sealer.fault = undefined;
    await replica.record(2);
    expect(replica.poster.ids).toContain(2);
  });
});
