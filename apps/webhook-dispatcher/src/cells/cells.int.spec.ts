import { type CellRanges, eventTypes, type KnownAnswer, type KnownRequest, topics } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import { EventTransport } from '@paycode/events';
import { shardOf } from '@paycode/ownership';
import { eventually } from '@paycode/service-runtime/testing';
import { DispatcherHarness } from '../testing/running-dispatcher';
import { silence, status, type WireReceiver } from '../testing/wire-receiver';

const partitionCount = 64;
const partitionOfPayment = (transactionId: number) => shardOf(transactionId) % partitionCount;

// proves: P-1.12, a cell ends its range by order, and tells a later one of the payments that it has.
describe('the internal routes of a cell', () => {
  let harness: DispatcherHarness;
  let receiver: WireReceiver;

  beforeEach(async () => ([harness, receiver] = await DispatcherHarness.withReceiver()));
  afterEach(() => harness.close());

  const endRange = (body: object, caller?: 'webhook-dispatcher') =>
    harness.send('/internal/cells/end', { cell: 'main', partition: 0, step: 0, ...body }, caller);
  const ranges = async () => ((await harness.operator('get', '/internal/cells/ranges')).data as CellRanges).ranges;
  const known = (
    body: Partial<Record<keyof KnownRequest, unknown>>,
    caller: 'webhook-dispatcher' | 'operator' = 'webhook-dispatcher',
  ) => harness.send('/internal/cells/known', { partition: 0, below: 0, transactionIds: [], ...body }, caller);
  const publishBroken = (transactionId: number) => {
    const event = { id: `broken-${transactionId}`, source: 'test', time: new Date().toISOString(), data: { nothing: true } };
    const topic = topics.transactionTerminal;
    const transport = harness.services[0]!.app.get(EventTransport);
    return transport.publish([{ ...event, topic, key: String(transactionId), type: eventTypes[topic] }]);
  };

  it('a dispatcher of no cell takes all offsets, and ends no range', async () => {
    await harness.start();
    expect(await ranges()).toEqual(Array(partitionCount).fill({ from: 0, until: null, step: 0, isDrained: false }));
    expect(await endRange({})).toMatchObject({
      status: 409,
      data: { message: expect.stringContaining('without CELL_NAME') as string },
    });
    expect((await ranges())[0]!.until).toBeNull();
  });

  it('ends at the end of the log; a repeat answers the first end, and the range is drained when its last delivery has a verdict', async () => {
    await harness.start({ CELL_NAME: 'main' });
    receiver.answer = silence;
    const partition = partitionOfPayment(1);
    await harness.publish(harness.terminal(notificationOf(1)));
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    expect(await endRange({ partition })).toMatchObject({ status: 200, data: { offset: 1 } });
    await harness.publish(harness.terminal(notificationOf(2)));
    expect(await endRange({ partition })).toMatchObject({ status: 200, data: { offset: 1 } });
    await eventually(async () => expect((await known({ partition, below: 1 })).status).toBe(200));
    expect((await ranges())[partition]).toEqual({ from: 0, until: 1, step: 0, isDrained: false });
    status(200)(receiver.requests[0]!);
    await harness.verdict(1);
    expect((await ranges())[partition]).toEqual({ from: 0, until: 1, step: 0, isDrained: true });
  });

  it('tells which payments it has stored, closed before they came, or put aside, once it has read all that the later cell does not', async () => {
    await harness.start({ CELL_NAME: 'main' });
    await harness.publish(harness.terminal(notificationOf(1)));
    await publishBroken(2);
    await harness.closeAs('reversal-scheduler', [{ transactionId: 3, merchantId: 1001 }]);
    const transactionIds = [1, 2, 3, 4];
    expect(await known({ below: 3, transactionIds })).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await eventually(async () => {
      const { status: code, data } = await known({ cell: 'main', below: 2, transactionIds });
      const { taken, highest } = data as KnownAnswer;
      expect([code, taken.sort(), highest]).toEqual([200, [1, 2, 3], 3]);
    });
    await publishBroken(4);
    await eventually(async () => expect((await known({ transactionIds })).data).toMatchObject({ highest: 4 }));
  });

  it('refuses another step, another cell, what is out of bounds, and callers without the right', async () => {
    await harness.start({ CELL_NAME: 'main' });
    const refused: [ReturnType<typeof endRange>, string][] = [
      [
        endRange({ step: 1 }),
        '409 this cell takes the partition by entry 0 of the map, not 1: it has not begun that one yet, so run the command again',
      ],
      [endRange({ cell: 'b' }), '409 this is cell main, not cell b'],
      [endRange({ cell: undefined }), '400 cell must be 1 to 31'],
      [endRange({ partition: partitionCount }), '400 partition must not be greater than 63'],
      [endRange({ step: -1 }), '400 step must not be less than 0'],
      [endRange({}, 'webhook-dispatcher'), '403'],
      [known({}, 'operator'), '403'],
      [known({ cell: 'b' }), '409 this is cell main, not cell b'],
      [known({ below: 1.5 }), '400 below must be an integer number'],
      [known({ transactionIds: [0] }), '400 each value in transactionIds'],
      [known({ transactionIds: Array(1_001).fill(1) }), '400 transactionIds must contain no more than 1000'],
    ];
    for (const [answer, text] of refused) {
      const { status: code, data } = await answer;
      expect(`${code} ${(data as { message: string }).message}`).toContain(text);
    }
    expect((await ranges()).filter(({ until }) => until !== null)).toEqual([]);
  });
});
