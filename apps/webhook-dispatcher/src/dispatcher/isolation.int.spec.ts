import type { Route } from '@paycode/dto';
import { testDatabaseForEach } from '@paycode/persistence/testing';
import { notificationOf } from '@paycode/dto/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { migrations } from '../../migrations';
import { terminalEvent } from '../deliveries/testing/samples';
import { RouteSource } from '../routes/route-cache';
import { DispatcherHarness } from '../testing/running-dispatcher';
import { silence, status, WireReceiver } from '../testing/wire-receiver';
import { routeTo } from './testing/fakes';
import { Replica } from './testing/replica';

const relaysUrl = 'https://sandbox.example/public/relay/';

class AtRelays extends RouteSource {
  override async routes(merchantIds: readonly number[]): Promise<Route[]> {
    return merchantIds.map(merchantId => routeTo(`${relaysUrl}m${merchantId}.`, { merchantId }));
  }
}

class ByMerchant extends RouteSource {
  override async routes(merchantIds: readonly number[]): Promise<Route[]> {
    return merchantIds.map(merchantId => routeTo(`https://m${merchantId}.example/hook`, { merchantId }));
  }
}

describe('one slow merchant delays no other (F-45)', () => {
  const database = testDatabaseForEach({ migrations, poolMax: 20 });
  let replica: Replica;
  const [hanging, healthy] = [7, 8];

  beforeEach(async () => {
    const settings = { heldMax: 60, slotsMax: 40 };
    replica = await new Replica(database.dataSource, { ports: { routes: new ByMerchant() }, settings }).own();
    replica.poster.onPost = post => void (post.request.url.includes(`m${hanging}.`) || post.answer(200));
  });

  const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
  const ingest = (merchantId: number, from: number, count: number) =>
    replica.dispatcher.intake.record(ids(from, count).map(id => terminalEvent(id, { merchantId })));
  const concluded = async () =>
    Number((await database.dataSource.query<{ count: string }[]>('select count(*) from verdict'))[0]!.count);

  it('memory and slots remain for healthy merchants, however many deliveries of a hanging one come (P-I12)', async () => {
    await ingest(hanging, 1, 500);
    expect(replica.dispatcher.queue.load.held).toBeLessThanOrEqual(60);
    expect(replica.dispatcher.queue.admissions()(healthy)).not.toBe('LEAVE');
    await ingest(healthy, 1_001, 100);
    await eventually(async () => {
      await replica.recoverAll();
      expect(await concluded()).toBe(100);
    });
    expect(replica.scheduler.armed.filter(item => item.merchantId === hanging).length).toBeLessThanOrEqual(40);
  });

  it('a listener that never answers takes no slot of another listener of the same sandbox (A-78)', async () => {
    const settings = { heldMax: 60, slotsMax: 40, relaysUrl };
    await replica.drain();
    const { onPost } = replica.poster;
    replica = await new Replica(database.dataSource, { ports: { routes: new AtRelays() }, settings }).own();
    replica.poster.onPost = onPost;
    await ingest(hanging, 1, 50);
    await ingest(healthy, 1_001, 20);
    await eventually(async () => {
      await replica.recoverAll();
      expect(await concluded()).toBe(20);
    });
    expect(replica.scheduler.armed.filter(item => item.merchantId === hanging).length).toBeLessThanOrEqual(40);
  });

  it('a delivery without a place in memory waits in the database and is delivered in its turn, once', async () => {
    await ingest(hanging, 1, 500);
    expect(replica.dispatcher.queue.backlog.has(hanging)).toBe(true);
    // The endpoint comes back.
    replica.poster.onPost = post => post.answer(200);
    for (const post of replica.poster.posts) post.answer(200);
    await eventually(async () => {
      await replica.recoverAll();
      expect(await concluded()).toBe(500);
    });
    expect([...replica.poster.ids].sort((a, b) => a - b)).toEqual(ids(1, 500));
    await eventually(async () => {
      await replica.recoverAll();
      expect(replica.dispatcher.queue.backlog.size).toBe(0);
    });
    await ingest(hanging, 501, 1);
    await eventually(async () => expect(await concluded()).toBe(501));
  });

  it('a successor takes over a long backlog and keeps delivering', async () => {
    await ingest(hanging, 1, 500);
    const heir = new Replica(database.dataSource, {
      ports: { routes: new ByMerchant() },
      settings: { heldMax: 60, slotsMax: 40 },
    });
    heir.poster.onPost = replica.poster.onPost;
    await heir.takeOver();
    expect(heir.dispatcher.queue.backlog.has(hanging)).toBe(true);
    await heir.dispatcher.intake.record(ids(1_001, 20).map(id => terminalEvent(id, { merchantId: healthy })));
    await eventually(async () => {
      await heir.recoverAll();
      expect(await concluded()).toBe(20);
    });
  });
});

describe('merchants of two PSPs whose URLs differ in the path only (P-I12, P-1.9)', () => {
  let harness: DispatcherHarness;
  let receiver: WireReceiver;
  const [silent, healthy] = [1_001, 2_001];

  beforeEach(async () => {
    [harness, receiver] = await Promise.all([DispatcherHarness.open(), WireReceiver.start()]);
    harness.route(silent, `http://localhost:${receiver.port}/silent`);
    harness.route(healthy, `http://localhost:${receiver.port}/healthy`);
    receiver.answer = request => (request.path === '/healthy' ? status(200)(request) : silence(request));
    await harness.start();
  });
  afterEach(async () => {
    await receiver.stop();
    await harness.close();
  });

  const publish = (merchantId: number, ids: readonly number[]) =>
    harness.publish(...ids.map(id => harness.terminal(notificationOf(id, { merchantId }))));
  const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

  it('regression: a path that never answers 260 payments delays none of the other path', async () => {
    await publish(silent, ids(1, 260));
    await eventually(() => expect(receiver.requests.length).toBeGreaterThanOrEqual(64));
    await publish(healthy, ids(1_001, 20));
    for (const id of ids(1_001, 20)) expect(await harness.verdict(id)).toBe('ACKED_HTTP');
    expect(receiver.requests.filter(({ path }) => path === '/silent')).toHaveLength(64);
  });
});
