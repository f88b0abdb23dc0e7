import { ManualClock, settled } from '@paycode/service-runtime/timing/testing';
import type { Delivery } from '../deliveries/domain/delivery';
import { delivery } from '../deliveries/testing/samples';
import { FakeRoutes } from '../dispatcher/testing/fakes';
import { DeliveryQueue } from '../queueing/delivery-queue';
import { OriginQueues } from '../queueing/domain/origin-queues';
import { RouteCache } from '../routes/route-cache';
import type { Concluded, ConcludeDelivery } from '../verdicts/conclude-delivery';
import { CloseOverdue } from './close-overdue';

describe('payments that waited longer than B', () => {
  let clock: ManualClock;
  let queue: DeliveryQueue;
  let overdue: CloseOverdue;
  let fenced: Delivery[];
  let written: (concluded: Concluded) => void;

  beforeEach(async () => {
    clock = new ManualClock();
    queue = new DeliveryQueue(new OriginQueues({ slotsMax: 4 }), new RouteCache(new FakeRoutes(), clock), clock, { heldMax: 10 });
    fenced = [];
    const writing = new Promise<Concluded>(resolve => (written = resolve));
    const concluding = { heldBack: () => writing } as unknown as ConcludeDelivery;
    const takeover = { fenced: (each: Delivery) => void fenced.push(each) };
    overdue = new CloseOverdue(queue, concluding, { dispatchWindowMs: 900_000 }, { clock, takeover });
    queue.accept([delivery(1, { receivedMs: clock.nowMs() })]);
    await clock.advance(900_001);
  });

  it('stay held until their verdict is written, so that recovery does not send them meanwhile (A-12, P-I4)', async () => {
    overdue.pass();
    expect([queue.has(1), queue.next()]).toEqual([true, undefined]);
    written({ next: 'OVER' });
    await settled();
    expect([queue.has(1), fenced]).toEqual([false, []]);
  });

  it('one that waited no longer than B goes on waiting', async () => {
    queue.accept([delivery(2, { receivedMs: clock.nowMs() - 900_000 })]);
    written({ next: 'OVER' });
    overdue.pass();
    await settled();
    expect([1, 2].map(id => queue.has(id))).toEqual([false, true]);
  });

  it('a payment that may have been sent before never ends by its age, wherever it waits (P-1.2-10)', async () => {
    queue.accept([delivery(2, { receivedMs: 0, attempt: 2 }), delivery(3, { receivedMs: 0 })]);
    written({ next: 'OVER' });
    overdue.pass();
    await settled();
    expect([1, 2, 3].map(id => queue.has(id))).toEqual([false, true, false]);
    expect(queue.next()?.item.transactionId).toBe(2);
  });

  it('are looked for again when their shard moved on before that (P-I7)', async () => {
    overdue.pass();
    written({ next: 'FENCED' });
    await settled();
    expect(queue.has(1)).toBe(false);
    expect(fenced.map(({ transactionId }) => transactionId)).toEqual([1]);
  });

  it('a payment whose verdict cannot be written does not keep later passes from closing others (T-29)', async () => {
    overdue.pass();
    queue.accept([delivery(2, { receivedMs: 0 })]);
    overdue.pass();
    expect(queue.next()).toBeUndefined();
    written({ next: 'OVER' });
    await settled();
    expect([1, 2].map(id => queue.has(id))).toEqual([false, false]);
  });
});
