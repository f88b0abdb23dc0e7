import { eventually } from '@paycode/service-runtime/testing';
import { notification } from './testing/notification';
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
    const publish = (count: number) => rig.publish(...Array.from({ length: count }, () => rig.terminal(notification(++id))));
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
