import type { Route } from '@paycode/dto';
import { settled } from '@paycode/service-runtime/timing/testing';
import type { DispatcherTables } from '../deliveries/testing/dispatcher-tables';
import { terminalEvent } from '../deliveries/testing/samples';
import { routeTo } from '../dispatcher/testing/fakes';
import { memoryStores, memoryTables, Replica } from '../dispatcher/testing/replica';
import { RouteSource } from '../routes/route-source.client';

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
