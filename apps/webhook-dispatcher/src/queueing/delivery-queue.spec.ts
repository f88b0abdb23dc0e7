import { ManualClock, settled } from '@paycode/service-runtime/timing/testing';
import type { Route } from '@paycode/dto';
import type { Delivery } from '../deliveries/domain/delivery';
import { delivery, terminalEvent } from '../deliveries/testing/samples';
import { FakeRoutes, routeTo } from '../dispatcher/testing/fakes';
import { RouteCache, RouteSource } from '../routes/route-cache';
import { DeliveryQueue } from './delivery-queue';
import { OriginQueues } from './domain/origin-queues';
import type { DispatcherTables } from '../deliveries/testing/dispatcher-tables';
import { memoryStores, memoryTables, Replica } from '../dispatcher/testing/replica';

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

describe('the memory of a replica (P-I12)', () => {
  it.each([1, 10, 1_000])('regression: one merchant gets at most half of it, %i deliveries at a time', wanted => {
    const clock = new ManualClock();
    const queues = new OriginQueues<Delivery>({ slotsMax: 8 });
    const queue = new DeliveryQueue(queues, new RouteCache(new FakeRoutes(), clock), clock, { heldMax: 100 });
    const places = queue.places();
    let taken = 0;
    for (let got = places(7, wanted); got > 0; got = places(7, wanted)) taken += got;
    expect(taken).toBe(50);
    expect(places(8, 1)).toBe(1);
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

const [attacker, victim] = [1, 2];
const minuteMs = 60_000;
const settings = { slotsMax: 20_000, heldMax: 400 };

/** A shop platform: every merchant has a path there, which differs from the others' only in the query. Each PSP has a thousand merchants. */
class ShopPlatform extends RouteSource {
  override async routes(merchantIds: readonly number[]): Promise<Route[]> {
    return merchantIds.map(merchantId =>
      routeTo(`https://shops.example/hook?shop=${merchantId}`, { merchantId, pspId: Math.floor(merchantId / 1_000) }),
    );
  }
}

describe('a merchant whose server answers, beside one at the same origin that never does (P-1.9, P-I12)', () => {
  let tables: DispatcherTables;
  let nowMs: number;
  let replica: Replica;
  let lastId: number;

  beforeEach(async () => {
    [nowMs, lastId] = [0, 0];
    tables = memoryTables(() => nowMs);
    replica = await new Replica(memoryStores(tables), { ports: { routes: new ShopPlatform() }, settings }).own();
    replica.poster.onPost = post => void (post.request.url.endsWith(`shop=${victim}`) && post.answer(200));
  });

  /** Payments of this merchant; resolves to their ids. */
  const pay = async (merchantId: number, count: number) => {
    const ids = Array.from({ length: count }, () => ++lastId);
    await replica.dispatcher.intake.record(ids.map(id => terminalEvent(id, { merchantId })));
    await settled();
    return ids;
  };
  const passTime = async (ms: number) => {
    for (const untilMs = nowMs + ms; nowMs < untilMs; nowMs += 5_000) {
      await replica.clock.advance(5_000);
      await replica.dispatcher.shards.pass();
      replica.dispatcher.queue.tick(false);
      replica.dispatcher.overdue.pass();
      await replica.recoverAll();
      await settled();
    }
  };
  const verdictsOf = (ids: readonly number[]) => ids.map(id => tables.verdicts.get(id)?.kind);

  it('regression: has each payment settled at once in 17 minutes, while the other has 260 payments reversed', async () => {
    const silent = await pay(attacker, 260);
    for (let minute = 0; minute < 17; minute++) {
      const ids = await pay(victim, 3);
      expect(verdictsOf(ids)).toEqual(['ACKED_HTTP', 'ACKED_HTTP', 'ACKED_HTTP']);
      await passTime(minuteMs);
    }
    expect(verdictsOf(silent).filter(kind => kind === 'ACKED_HTTP')).toEqual([]);
  });

  it('has places in memory although the other filled its own, and its payments are claimed with their insert', async () => {
    await pay(victim, 1);
    await pay(attacker, 2_000);
    const { queue } = replica.dispatcher;
    expect(queue.backlog.has(attacker)).toBe(true);
    const admit = queue.admissions();
    expect(Array.from({ length: 10 }, () => admit(victim))).toEqual(Array.from({ length: 10 }, () => 'CLAIM'));
    expect(queue.places()(victim, 1_000)).toBeGreaterThanOrEqual(settings.heldMax / 8);
    expect(verdictsOf(await pay(victim, 30))).toEqual(Array.from({ length: 30 }, () => 'ACKED_HTTP'));
  });

  it('has its payments settled beside five hundred others of its PSP that hang', async () => {
    await pay(victim, 1);
    for (let merchantId = 10; merchantId < 510; merchantId++) await pay(merchantId, 2);
    await passTime(10 * minuteMs);
    expect(verdictsOf(await pay(victim, 20))).toEqual(Array.from({ length: 20 }, () => 'ACKED_HTTP'));
  });

  it('of another PSP has a payment settled at once when all merchants of that PSP hang for the first time', async () => {
    for (let merchantId = 1_000; merchantId < 1_500; merchantId++) await pay(merchantId, 2);
    expect(verdictsOf(await pay(victim, 1))).toEqual(['ACKED_HTTP']);
  });

  it('leaves memory for other origins, however many merchants of its own hang', async () => {
    for (let merchantId = 1_000; merchantId < 1_900; merchantId++) await pay(merchantId, 2);
    const { held } = replica.dispatcher.queue.load;
    expect(held).toBeLessThan(settings.heldMax);
  });
});
