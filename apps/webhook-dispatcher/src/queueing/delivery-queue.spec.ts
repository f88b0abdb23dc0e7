import { ManualClock } from '@paycode/service-runtime/timing/testing';
import type { Delivery } from '../deliveries/domain/delivery';
import { delivery } from '../deliveries/testing/samples';
import { FakeRoutes } from '../dispatcher/testing/fakes';
import { RouteCache } from '../routes/route-cache';
import { DeliveryQueue } from './delivery-queue';
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
    const granted = queue.next()!;
    queue.release(granted, 'UNUSED');
    queue.holdBack(granted.item);
  };

  it('still starts claimed deliveries that were held back', async () => {
    heldBack();
    queue.close();
    await clock.advance(1_000);
    expect(queue.next()?.item.transactionId).toBe(1);
  });

  it('regression: starts nothing after the end, not even claimed deliveries that were held back', async () => {
    heldBack();
    queue.close();
    queue.shut();
    await clock.advance(1_000);
    expect(queue.next()).toBeUndefined();
    expect(queue.has(1)).toBe(false);
  });
});

describe('the age that pages on-call and scales the dispatcher', () => {
  let clock: ManualClock;
  let queues: OriginQueues<Delivery>;
  let queue: DeliveryQueue;
  beforeEach(() => {
    clock = new ManualClock();
    queues = new OriginQueues<Delivery>({ slotsMax: 100 });
    queue = new DeliveryQueue(queues, new RouteCache(new FakeRoutes(), clock), clock, { heldMax: 100 });
  });

  it('is the age of the oldest delivery that has not been sent yet', async () => {
    queue.accept([delivery(1)]);
    await clock.advance(40_000);
    expect(queue.load).toMatchObject({ oldestAgeMs: 40_000, oldestUnattemptedAgeMs: 40_000 });
    const { item } = queue.next()!;
    // Routes, claim and reversal come before the POST: what hangs there waits for us.
    expect(queue.load.oldestUnattemptedAgeMs).toBe(40_000);
    queue.posted(item);
    expect(queue.load).toMatchObject({ oldestAgeMs: 40_000, oldestUnattemptedAgeMs: 0 });
  });

  it('regression: ignores a delivery whose receiver hangs, and those behind it at the same endpoint', async () => {
    queue.accept(Array.from({ length: 60 }, (_, index) => delivery(index + 1)));
    for (let granted = queue.next(); granted; granted = queue.next()) queue.posted(granted.item);
    expect(queues.waiting).toBeGreaterThan(0);
    await clock.advance(44_000);
    expect(queue.load).toMatchObject({ oldestAgeMs: 44_000, oldestUnattemptedAgeMs: 0 });
    // While this process is the bottleneck, they wait for it.
    queue.tick(true);
    expect(queue.load.oldestUnattemptedAgeMs).toBe(44_000);
  });

  it('ignores further attempts', async () => {
    queue.accept([
      { ...delivery(1), attempt: 2 },
      { ...delivery(2), isRepeat: true },
    ]);
    await clock.advance(600_000);
    expect(queue.load.oldestUnattemptedAgeMs).toBe(0);
  });
});
