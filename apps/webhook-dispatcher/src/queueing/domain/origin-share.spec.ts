import { Slots } from '../testing/slots';
import { reserves } from './origin-queues';
import type { Destination } from './origin-share';
import { slotFloor, slotsAtFirst } from './slot-cap';

const origin = 'https://shops.example';
const merchant = (merchantId: number, pspId = 1): Destination => ({ origin, merchantId, pspId });
const silent = merchant(1);
const neighbour = merchant(2);
const inFlightMax = slotsAtFirst + reserves.answering + slotFloor;

describe('merchants that share an origin (P-1.9, P-I12)', () => {
  let slots: Slots;
  beforeEach(() => (slots = new Slots({ slotsMax: 20_000 })));

  /** Its requests time out, and all that may start does, `rounds` times. */
  const staySilent = (merchants: readonly Destination[], rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      for (const each of merchants) slots.free(each, 'TIMED_OUT');
      slots.grantAll();
    }
  };

  it('a merchant alone takes all slots of its cap', () => {
    slots.addTo(silent, 1_000);
    slots.grantAll();
    expect(slots.inFlightOf(silent)).toBe(slotsAtFirst);
  });

  it('regression: the delivery of an idle neighbour starts at once although one merchant hangs in every slot', () => {
    slots.addTo(silent, 260);
    slots.grantAll();
    slots.addTo(neighbour, 1);
    slots.grantAll();
    expect(slots.inFlightOf(neighbour)).toBe(1);
  });

  it('a merchant that hangs in every slot takes none of the reserve, however many of its deliveries wait', () => {
    slots.addTo(silent, 10_000);
    slots.grantAll();
    for (let n = 0; n < 500; n++) {
      slots.addTo(neighbour, 5);
      slots.grantAll();
      slots.free(neighbour, 'ANSWERED');
    }
    slots.grantAll();
    expect(slots.inFlightOf(silent)).toBe(slotsAtFirst);
  });

  it('the time-outs of one merchant bring its own cap down to the floor, and leave its neighbour at least half of the first slots', () => {
    slots.addTo(silent, 10_000);
    slots.grantAll();
    staySilent([silent], 20);
    expect([slots.capOf(silent), slots.capOf(neighbour)]).toEqual([slotFloor, slotsAtFirst]);
    slots.addTo(neighbour, 1_000);
    slots.grantAll();
    expect(slots.inFlightOf(silent)).toBe(slotFloor);
    expect(slots.inFlightOf(neighbour)).toBeGreaterThanOrEqual(slotsAtFirst / 2);
  });

  it('a neighbour that answers slowly keeps growing beside a merchant that hangs', () => {
    slots.addTo(silent, 10_000);
    slots.grantAll();
    slots.addTo(neighbour, 10_000);
    for (let n = 0; n < 1_000; n++) {
      if (n % 100 === 0) staySilent([silent], 1);
      slots.grantAll();
      slots.free(neighbour, 'ANSWERED_SLOWLY', 1);
    }
    slots.grantAll();
    expect(slots.inFlightOf(neighbour)).toBeGreaterThanOrEqual(4 * slotsAtFirst);
  });

  it('a merchant that answers now and then and hangs otherwise leaves its neighbour most of its slots', () => {
    slots.addTo(silent, 10_000);
    slots.addTo(neighbour, 10_000);
    for (let n = 0; n < 4_000; n++) {
      slots.grantAll();
      slots.free(neighbour, 'ANSWERED_SLOWLY', 1);
      // About once a second, when the neighbour answers after 300 ms.
      if (n % 200 === 0) slots.free(silent, n % 400 === 0 ? 'TIMED_OUT' : 'ANSWERED_SLOWLY', 1);
    }
    slots.grantAll();
    expect(slots.inFlightOf(neighbour)).toBeGreaterThanOrEqual(slotsAtFirst);
    expect(slots.inFlightOf(silent)).toBeLessThan(slots.inFlightOf(neighbour));
  });

  it('beside a merchant that answers at the end of the window, a newcomer has a part of the reserve at once and then each freed slot', () => {
    slots.addTo(silent, 10_000);
    for (let n = 0; n < 1_000; n++) {
      slots.grantAll();
      slots.free(silent, 'ANSWERED_SLOWLY', 1);
    }
    slots.grantAll();
    const taken = slots.inFlightOf(silent);
    expect(taken).toBeGreaterThan(4 * slotsAtFirst);
    slots.addTo(neighbour, 1_000);
    slots.grantAll();
    const atOnce = slots.inFlightOf(neighbour);
    expect(atOnce).toBeGreaterThanOrEqual(reserves.answering / 5);
    slots.free(silent, 'ANSWERED', 20);
    slots.grantAll();
    expect([slots.inFlightOf(silent), slots.inFlightOf(neighbour)]).toEqual([taken - 20, atOnce + 20]);
  });

  it('sixteen newcomers share the reserve, each with a slot at once', () => {
    slots.addTo(silent, 260);
    slots.grantAll();
    const newcomers = Array.from({ length: 16 }, (_, n) => merchant(n + 2));
    for (const each of newcomers) {
      slots.addTo(each, 100);
      slots.grantAll();
    }
    expect(newcomers.filter(each => slots.inFlightOf(each) === 0)).toEqual([]);
    expect(slots.inFlight).toBeLessThanOrEqual(inFlightMax);
  });

  describe('of whom ten thousand never answer', () => {
    const crowd = Array.from({ length: 10_000 }, (_, n) => merchant(n + 10));
    beforeEach(() => {
      for (const each of crowd) slots.addTo(each, 2);
      slots.grantAll();
    });

    it('leave the process as many sockets as a single one would, but for the reserve', () => {
      expect(slots.inFlight).toBeLessThanOrEqual(inFlightMax);
      for (let round = 0; round < 10; round++) staySilent([...new Set(slots.running.map(({ queue: { to } }) => to))], 1);
      expect(slots.inFlight).toBeLessThanOrEqual(2 * inFlightMax);
    });

    it('take no slot of a merchant of another PSP: its delivery starts at once, and it has the floor', () => {
      const other = merchant(5, 2);
      slots.addTo(other, 100);
      slots.grantAll();
      expect(slots.inFlightOf(other)).toBe(slotFloor);
      slots.free(slots.running[0]!.queue.to, 'TIMED_OUT');
      slots.grantAll();
      expect(slots.inFlightOf(other)).toBeGreaterThanOrEqual(slotFloor);
    });

    it('take no slot of their PSP from a merchant that answers, once they have timed out', () => {
      slots = new Slots({ slotsMax: 20_000 });
      const few = crowd.slice(0, 1_000);
      for (const each of few) slots.addTo(each, 10);
      for (let round = 0; round < 20; round++) staySilent([...new Set(slots.running.map(({ queue: { to } }) => to))], 1);
      slots.addTo(neighbour, 100);
      slots.grantAll();
      expect(slots.inFlightOf(neighbour)).toBeGreaterThanOrEqual(slotFloor);
    });
  });

  it('with an origin that hangs as a whole, all its merchants together come down to the floor and the reserve', () => {
    const all = Array.from({ length: 300 }, (_, n) => merchant(n));
    for (const each of all) slots.addTo(each, 1_000);
    slots.grantAll();
    for (let round = 0; round < 40; round++) staySilent([...new Set(slots.running.map(({ queue: { to } }) => to))], 1);
    expect(slots.inFlight).toBeLessThanOrEqual(slotFloor + reserves.silent + slotFloor);
    // Each has its turn.
    expect(all.filter(each => slots.waitingOf(each).merchant === 1_000)).toEqual([]);
  });

  it('a merchant that timed out and answers again has its own slots again at once', () => {
    slots.addTo(silent, 10_000);
    slots.addTo(neighbour, 10);
    slots.grantAll();
    staySilent([silent], 20);
    slots.free(neighbour, 'TIMED_OUT', 1);
    slots.free(neighbour, 'ANSWERED');
    slots.addTo(neighbour, 100);
    slots.grantAll();
    expect(slots.inFlightOf(neighbour)).toBe(slotsAtFirst / 2);
  });

  it('a slot of the reserve is free again after its request, whatever became of it', () => {
    slots.addTo(silent, 260);
    slots.grantAll();
    for (const use of ['ANSWERED', 'UNUSED', 'ANSWERED_SLOWLY'] as const) {
      for (let n = 0; n < 2 * reserves.answering; n++) {
        slots.addTo(merchant(n + 10), 1);
        slots.grantAll();
        expect(slots.inFlightOf(merchant(n + 10))).toBe(1);
        slots.free(merchant(n + 10), use);
      }
    }
  });

  it('deliveries are claimed with their insert only within a fair part of the slots', () => {
    const isSoon = (ahead: number) => slots.startsWithin(neighbour, 2, { merchant: ahead, origin: ahead });
    slots.addTo(silent, 260);
    expect([isSoon(0), isSoon(slotsAtFirst / 2 - 1), isSoon(slotsAtFirst / 2)]).toEqual([true, true, false]);
    expect(slots.startsWithin(neighbour, 2, { merchant: 0, origin: slotsAtFirst })).toBe(false);
  });

  it('tells what waits for the receivers of the origin from what waits for this process', () => {
    slots.addTo(silent, 260);
    slots.grantAll();
    slots.addTo(neighbour, 1);
    expect([slots.isHeldUp(silent), slots.isHeldUp(neighbour)]).toEqual([true, false]);
  });
});
