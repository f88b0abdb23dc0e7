import { ManualClock } from '@paycode/timing/testing';
import type { Delivery } from '../deliveries/domain/delivery';
import { delivery } from '../deliveries/testing/samples';
import { FakeRoutes } from '../dispatcher/testing/fakes';
import { RouteCache } from '../routes/route-cache.service';
import { DeliveryQueue } from './delivery-queue.service';
import { OriginQueues } from './domain/origin-queues';

describe('the queue of a replica that leaves (P-T9)', () => {
  let clock: ManualClock;
  let queue: DeliveryQueue;
  beforeEach(() => {
    clock = new ManualClock();
    const queues = new OriginQueues<Delivery>({ slotsMax: 8 });
    queue = new DeliveryQueue(queues, new RouteCache(new FakeRoutes(), clock), clock, { heldMax: 100 });
  });

  /** A claimed delivery that was about to start and could not. */
  const heldBack = () => {
    queue.accept([delivery(1)]);
    const { origin, item } = queue.next()!;
    queue.release(origin, 'UNUSED');
    queue.holdBack(item);
  };

  it('still starts what is claimed and was held back', async () => {
    heldBack();
    queue.close();
    await clock.advance(1_000);
    expect(queue.next()?.item.transactionId).toBe(1);
  });

  it('regression: starts nothing after the end, not even what was held back and is claimed', async () => {
    heldBack();
    queue.close();
    queue.shut();
    await clock.advance(1_000);
    expect(queue.next()).toBeUndefined();
    expect(queue.has(1)).toBe(false);
  });
});
