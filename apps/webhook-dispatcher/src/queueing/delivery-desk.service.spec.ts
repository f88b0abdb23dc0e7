import { ManualClock } from '../clock/testing/manual-clock';
import type { Delivery } from '../deliveries/domain/delivery';
import { delivery } from '../deliveries/testing/samples';
import { FakeRoutes } from '../dispatcher/testing/fakes';
import { RouteBook } from '../routes/route-book.service';
import { DeliveryDesk } from './delivery-desk.service';
import { OriginQueues } from './domain/origin-queues';

describe('the desk of a replica that leaves (T9)', () => {
  let clock: ManualClock;
  let desk: DeliveryDesk;
  beforeEach(() => {
    clock = new ManualClock();
    const queues = new OriginQueues<Delivery>({ slotsMax: 8 });
    desk = new DeliveryDesk(queues, new RouteBook(new FakeRoutes(), clock), clock, { heldMax: 100 });
  });

  /** A claimed delivery that was about to start and could not. */
  const heldBack = () => {
    desk.accept([delivery(1)]);
    const { origin, item } = desk.next()!;
    desk.release(origin, 'UNUSED');
    desk.holdBack(item);
  };

  it('still starts what is claimed and was held back', async () => {
    heldBack();
    desk.close();
    await clock.advance(1_000);
    expect(desk.next()?.item.transactionId).toBe(1);
  });

  it('regression: starts nothing after the end, not even what was held back and is claimed', async () => {
    heldBack();
    desk.close();
    desk.shut();
    await clock.advance(1_000);
    expect(desk.next()).toBeUndefined();
    expect(desk.has(1)).toBe(false);
  });
});
