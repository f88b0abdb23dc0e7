import { notificationOf } from '@paycode/dto/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { dispatcherOf, DispatcherRig } from './testing/running-dispatcher';
import { status, WireReceiver, type WireRequest } from './testing/wire-receiver';

describe('several dispatchers', () => {
  let rig: DispatcherRig;
  let receiver: WireReceiver;

  beforeEach(async () => {
    [rig, receiver] = await Promise.all([DispatcherRig.open(), WireReceiver.start()]);
    rig.route(1001, receiver.url);
  });
  afterEach(async () => {
    await rig.close();
    await receiver.stop();
  });

  const verdicts = async () => {
    const rows = await rig.database.dataSource.query<{ kind: string; count: string }[]>(
      'select kind, count(*) from verdict group by kind',
    );
    return Object.fromEntries(rows.map(row => [row.kind, Number(row.count)]));
  };

  it('a rolling restart under load causes no second POST and no reversal (P-T9, F-50)', async () => {
    let [old, next] = [await rig.start(), await rig.start()];
    let id = 0;
    const held: WireRequest[] = [];
    const publish = (count: number) => rig.publish(...Array.from({ length: count }, () => rig.terminal(notificationOf(++id))));
    for (let round = 0; round < 3; round++) {
      // Both replicas have requests in flight when the one is told to stop; they are answered once it is stopping.
      receiver.answer = request => void held.push(request);
      await publish(60);
      await eventually(() => expect([old, next].map(each => dispatcherOf(each).queue.load.inFlight > 0)).toEqual([true, true]));
      const stopping = old.stop('SIGTERM');
      await publish(60);
      receiver.answer = status(200);
      held.splice(0).forEach(status(200));
      await stopping;
      [old, next] = [next, await rig.start()];
      await publish(60);
    }
    await eventually(async () => expect(await verdicts()).toEqual({ ACKED_HTTP: id }));
    expect(receiver.transactionIds).toHaveLength(id);
    expect(new Set(receiver.transactionIds).size).toBe(id);
    expect(receiver.requests.every(request => request.headers['x-webhook-attempt'] === '1')).toBe(true);
  });

  it('a scale-in from four to two with 1,000 POSTs in flight loses, doubles and reverses nothing (P-T9)', async () => {
    const [endpoints, each] = [250, 4];
    const held: WireRequest[] = [];
    const many = await Promise.all(Array.from({ length: endpoints }, () => WireReceiver.start()));
    try {
      many.forEach(({ url }, at) => rig.route(2_000 + at, url));
      for (const one of many) one.answer = request => void held.push(request);
      const services = await Promise.all(Array.from({ length: 4 }, () => rig.start()));
      // A shard that moves waits for its POSTs in flight (P-T9), which are answered below: no shard may still be on its way.
      await eventually(() => expect(services.map(service => dispatcherOf(service).shards.shards.size)).toEqual([64, 64, 64, 64]));
      const inFlight = () => services.map(service => dispatcherOf(service).queue.load.inFlight);
      await rig.publish(
        ...Array.from({ length: endpoints * each }, (_, at) =>
          rig.terminal(notificationOf(at + 1, { merchantId: 2_000 + (at % endpoints) })),
        ),
      );
      await eventually(() => expect(inFlight().reduce((sum, count) => sum + count)).toBe(endpoints * each));
      expect(inFlight().every(count => count > 0)).toBe(true);
      const stopping = services.slice(0, 2).map(service => service.stop('SIGTERM'));
      for (const one of many) one.answer = status(200);
      held.splice(0).forEach(status(200));
      await Promise.all(stopping);
      await eventually(async () => expect(await verdicts()).toEqual({ ACKED_HTTP: endpoints * each }));
      const posts = many.flatMap(({ transactionIds }) => transactionIds);
      expect([posts.length, new Set(posts).size]).toEqual([endpoints * each, endpoints * each]);
    } finally {
      await Promise.all(many.map(one => one.stop()));
    }
  });

  it('share the shards, and one that stops leaves its shards to the other at once', async () => {
    const [first, second] = [await rig.start(), await rig.start()];
    const shards = (service: typeof first) => dispatcherOf(service).shards.held.length;
    await eventually(() =>
      expect([shards(first) > 0, shards(second) > 0, shards(first) + shards(second)]).toEqual([true, true, 256]),
    );
    await first.stop('SIGTERM');
    await eventually(() => expect(shards(second)).toBe(256));
  });
});
