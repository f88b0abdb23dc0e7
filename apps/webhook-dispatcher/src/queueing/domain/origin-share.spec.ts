import fc from 'fast-check';
import { Slots } from '../testing/slots';
import { reserves } from './origin-queues';
import { type Destination, FifoQueue, SlotCap, slotFloor, slotsAtFirst } from './origin-share';

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

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ kind: fc.constant('take' as const), count: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ kind: fc.constant('remove' as const), count: fc.integer({ min: 2, max: 60 }) }),
  ),
  { maxLength: 30 },
);

function filled(count: number): FifoQueue<number> {
  const queue = new FifoQueue<number>();
  for (let item = 0; item < count; item++) queue.add(item);
  return queue;
}

/** The lengths of the copies that were made meanwhile. */
function copiesDuring(run: () => void): number[] {
  const slice = jest.spyOn(Array.prototype, 'slice');
  try {
    run();
    return slice.mock.results.map(({ value }) => (value as unknown[]).length);
  } finally {
    slice.mockRestore();
  }
}

describe('a line of deliveries', () => {
  it('behaves as an array does, whatever is added, taken and removed', () => {
    fc.assert(
      fc.property(steps, each => {
        const queue = new FifoQueue<number>();
        let list: number[] = [];
        let item = 0;
        const apply = {
          add: () => (queue.add(++item), void list.push(item)),
          take: () => expect(queue.take()).toBe(list.shift()),
          remove: (nth: number) => {
            const isGone = (one: number) => one % nth === 0;
            expect(queue.remove(isGone)).toEqual(list.filter(isGone));
            list = list.filter(one => !isGone(one));
          },
        };
        for (const { kind, count } of each) {
          if (kind === 'remove') apply.remove(count);
          else for (let n = 0; n < count; n++) apply[kind]();
          expect(queue.length).toBe(list.length);
        }
      }),
    );
  });

  it.each([1, 200])('keeps of what was taken no more than the %i that wait, or 31', waiting => {
    const queue = filled(waiting);
    const kept = Array.from({ length: 1_000 }, () => {
      queue.add(0);
      queue.take();
      return (Reflect.get(queue, 'items') as unknown[]).length - waiting;
    });
    expect(Math.max(...kept)).toBeLessThanOrEqual(Math.max(31, waiting));
  });

  it('takes in constant time: emptying copies at most as many items as it held', () => {
    const held = 4_096;
    const queue = filled(held);
    const copies = copiesDuring(() => {
      for (let n = 0; n < held; n++) queue.take();
    });
    expect(copies.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(held);
  });

  it('copies at most once in 32 takes', () => {
    const queue = filled(1);
    const copies = copiesDuring(() => {
      for (let n = 0; n < 320; n++) {
        queue.add(0);
        queue.take();
      }
    });
    expect(copies.length).toBeLessThanOrEqual(10);
  });
});

describe('slots that an endpoint may use (P-1.9, P-I12)', () => {
  const times = (count: number, step: () => void) => Array.from({ length: count }, step);
  const answer = (cap: SlotCap, count: number, isShort = true) => times(count, () => cap.answered(isShort));

  it('begins with enough to share calls, within the most and never below the floor', () => {
    expect([1_000, 10, 1].map(slotsMax => new SlotCap(slotsMax).value)).toEqual([slotsAtFirst, 10, slotFloor]);
  });

  it('doubles with a full round of answers while deliveries wait for slots, up to the most', () => {
    const cap = new SlotCap(100);
    answer(cap, slotsAtFirst - 1);
    expect(cap.value).toBe(slotsAtFirst);
    answer(cap, 1);
    expect(cap.value).toBe(100);
    answer(cap, 1_000);
    expect(cap.value).toBe(100);
  });

  it('begins the next round after each doubling', () => {
    const cap = new SlotCap(1_000);
    answer(cap, slotsAtFirst + 2 * slotsAtFirst - 1);
    expect(cap.value).toBe(2 * slotsAtFirst);
    answer(cap, 1);
    expect(cap.value).toBe(4 * slotsAtFirst);
  });

  it('an answer while no delivery waits ends the round', () => {
    const cap = new SlotCap(1_000);
    answer(cap, slotsAtFirst - 1);
    answer(cap, 1, false);
    answer(cap, slotsAtFirst - 1);
    expect(cap.value).toBe(slotsAtFirst);
    answer(cap, 1);
    expect(cap.value).toBe(2 * slotsAtFirst);
  });

  it('halves with a timeout, to whole slots; timeouts of requests under way with it do not count again', () => {
    const cap = new SlotCap(11);
    cap.timedOut(8);
    expect(cap.value).toBe(5);
    times(8, () => cap.timedOut(1));
    expect(cap.value).toBe(5);
    cap.timedOut(1);
    expect(cap.value).toBe(slotFloor);
  });

  it('a timeout ends the round, also one that does not count again', () => {
    const cap = new SlotCap(1_000);
    answer(cap, slotsAtFirst - 1);
    cap.timedOut(1);
    answer(cap, slotsAtFirst / 2 - 1);
    expect(cap.value).toBe(slotsAtFirst / 2);
    cap.timedOut(1);
    answer(cap, slotsAtFirst / 2 - 1);
    cap.timedOut(1);
    expect(cap.value).toBe(slotsAtFirst / 4);
    cap.timedOut(1);
    answer(cap, slotsAtFirst / 4 - 1);
    expect(cap.value).toBe(slotsAtFirst / 4);
    answer(cap, 1);
    expect(cap.value).toBe(slotsAtFirst / 2);
  });

  it('each answer to a request under way with a timeout leaves one timeout less to ignore', () => {
    const cap = new SlotCap(1_000);
    cap.timedOut(3);
    answer(cap, 1, false);
    times(2, () => cap.timedOut(1));
    expect(cap.value).toBe(slotsAtFirst / 2);
    cap.timedOut(1);
    expect(cap.value).toBe(slotsAtFirst / 4);
  });

  it('many answers do not compensate for a timeout after them', () => {
    const cap = new SlotCap(1_000);
    answer(cap, 500, false);
    cap.timedOut(2);
    expect(cap.value).toBe(slotsAtFirst / 2);
    times(2, () => cap.timedOut(1));
    expect(cap.value).toBe(slotsAtFirst / 2);
  });
});
