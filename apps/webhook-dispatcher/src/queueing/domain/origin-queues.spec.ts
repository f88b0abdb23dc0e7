import fc from 'fast-check';
import { Slots } from '../testing/slots';
import type { SlotUse } from './origin-queues';
import { type Destination, slotFloor, slotsAtFirst } from './origin-share';

/** The only merchant of an origin. */
const only = (origin: string): Destination => ({ origin, merchantId: 1, pspId: 1 });

const slots = (slotsMax: number) => new Slots({ slotsMax });
const add = (queues: Slots, origin: string, count: number) => queues.addTo(only(origin), count);
const grantAll = (queues: Slots) => queues.grantAll().map(({ origin }) => origin);
const release = (queues: Slots, origin: string, use: SlotUse) => queues.free(only(origin), use, 1);

/** Lets an endpoint earn the largest cap: it answers a thousand requests while more wait. */
function warmUp(queues: Slots, origin: string): void {
  add(queues, origin, 1_000);
  for (let n = 0; n < 1_000; n++) {
    grantAll(queues);
    release(queues, origin, 'ANSWERED_SLOWLY');
  }
}

/** Grants everything that may start now; each item must come once, within cap and budget, or below the floor. */
function grantChecked(queues: Slots, slotsMax: number, seen: Set<number>): void {
  for (let before = [...queues.running]; ; before = [...queues.running]) {
    const granted = queues.next();
    if (!granted) return;
    const ofOrigin = before.filter(({ origin }) => origin === granted.origin).length;
    const isWithin = before.length < slotsMax && ofOrigin < queues.capOf(only(granted.origin));
    expect(ofOrigin < slotFloor || isWithin).toBe(true);
    expect(seen.has(granted.item)).toBe(false);
    seen.add(granted.item);
  }
}

describe('slots of endpoints (P-I12, F-45)', () => {
  it('keeps the order of one endpoint', () => {
    const queues = slots(100);
    add(queues, 'a', 3);
    expect([queues.next(), queues.next(), queues.next()].map(granted => granted!.item)).toEqual([0, 1, 2]);
  });

  it('shares scarce slots evenly: a free slot goes to the endpoint that has the fewest', () => {
    const queues = slots(40);
    add(queues, 'a', 100);
    add(queues, 'b', 100);
    const granted = grantAll(queues);
    expect(granted.filter(origin => origin === 'a')).toHaveLength(10);
    expect(granted.filter(origin => origin === 'b')).toHaveLength(10);
    expect(granted.slice(0, 4)).toEqual(['a', 'b', 'a', 'b']);
  });

  it('uses no more sockets than the process has, although each endpoint could take one more', () => {
    const queues = slots(20);
    for (const origin of ['a', 'b', 'c', 'd', 'e']) add(queues, origin, 10);
    expect(grantAll(queues)).toHaveLength(20);
  });

  it('lets one endpoint take a quarter of the sockets at most, however well it answers', () => {
    const queues = slots(400);
    warmUp(queues, 'a');
    expect([queues.capOf(only('a')), queues.inFlight]).toEqual([100, 0]);
    add(queues, 'a', 1_000);
    expect(grantAll(queues)).toHaveLength(100);
  });

  it('grows an endpoint only while its deliveries wait for slots that its receiver fills, and not while this process is the bottleneck', () => {
    const queues = slots(4_000);
    const answerOne = (waiting: number, use: 'ANSWERED' | 'ANSWERED_SLOWLY' = 'ANSWERED_SLOWLY') => {
      add(queues, 'a', waiting);
      grantAll(queues);
      release(queues, 'a', use);
    };
    for (let n = 0; n < 100; n++) answerOne(1);
    expect(queues.capOf(only('a'))).toBe(slotsAtFirst);
    queues.mayGrow = false;
    add(queues, 'a', 1_000);
    for (let n = 0; n < 100; n++) answerOne(1);
    expect(queues.capOf(only('a'))).toBe(slotsAtFirst);
    queues.mayGrow = true;
    for (let n = 0; n < 100; n++) answerOne(1, 'ANSWERED');
    expect(queues.capOf(only('a'))).toBe(slotsAtFirst);
    for (let n = 0; n < slotsAtFirst; n++) answerOne(1);
    expect(queues.capOf(only('a'))).toBe(2 * slotsAtFirst);
  });

  it('does not grow an endpoint of which all slots are in use while nothing waits for one', () => {
    const queues = slots(4_000);
    for (let n = 0; n < 10 * slotsAtFirst; n++) {
      add(queues, 'a', queues.inFlight === 0 ? slotsAtFirst : 1);
      grantAll(queues);
      release(queues, 'a', 'ANSWERED_SLOWLY');
    }
    expect(queues.capOf(only('a'))).toBe(slotsAtFirst);
  });

  it('does not grow an endpoint whose deliveries wait for sockets of the process, while it has slots left', () => {
    const queues = slots(4_000);
    add(queues, 'a', 1_000);
    for (let n = 0; n < 10 * slotsAtFirst; n++) {
      queues.next();
      release(queues, 'a', 'ANSWERED_SLOWLY');
    }
    expect(queues.capOf(only('a'))).toBe(slotsAtFirst);
  });

  it('gives every endpoint its four slots although hanging ones use up the budget (T-12)', () => {
    const queues = slots(16);
    for (const origin of ['h1', 'h2', 'h3', 'h4']) add(queues, origin, 50);
    expect(grantAll(queues)).toHaveLength(16);
    add(queues, 'healthy', 10);
    expect(grantAll(queues)).toEqual(Array.from({ length: slotFloor }, () => 'healthy'));
  });

  it('a freed slot of a hanging endpoint goes to the first that needs it', () => {
    const queues = slots(16);
    for (const origin of ['h1', 'h2', 'h3', 'h4']) add(queues, origin, 50);
    grantAll(queues);
    add(queues, 'healthy', 10);
    grantAll(queues);
    release(queues, 'healthy', 'ANSWERED');
    expect(grantAll(queues)).toEqual(['healthy']);
  });

  it('halves the slots of an endpoint that times out, once per round, never below four', () => {
    const queues = slots(1_000);
    add(queues, 'a', slotsAtFirst);
    const running = grantAll(queues);
    for (const origin of running.slice(0, 30)) release(queues, origin, 'TIMED_OUT');
    expect(queues.capOf(only('a'))).toBe(slotsAtFirst / 2);
    for (const origin of running.slice(30)) release(queues, origin, 'TIMED_OUT');
    for (let n = 0; n < 200; n++) {
      add(queues, 'a', 1);
      for (const origin of grantAll(queues)) release(queues, origin, 'TIMED_OUT');
    }
    expect(queues.capOf(only('a'))).toBe(slotFloor);
  });

  it('knows how many deliveries would start soon, by its slots or by its rate of answers', () => {
    const queues = slots(1_000);
    const isSoon = (ahead: number) => queues.startsWithin(only('a'), 2, { merchant: ahead, origin: ahead });
    expect([isSoon(slotsAtFirst - 1), isSoon(slotsAtFirst)]).toEqual([true, false]);
    for (let n = 0; n < 500; n++) {
      add(queues, 'a', 1);
      for (const origin of grantAll(queues)) release(queues, origin, 'ANSWERED');
    }
    queues.tick();
    expect([isSoon(999), isSoon(1_000)]).toEqual([true, false]);
  });

  it('takes waiting items out and forgets nothing else', () => {
    const queues = slots(100);
    add(queues, 'a', 5);
    add(queues, 'b', 2);
    expect(queues.remove(item => item % 2 === 1)).toEqual([1, 3, 1]);
    expect(queues.waiting).toBe(4);
    expect(grantAll(queues)).toHaveLength(4);
  });

  it('an endpoint from which nothing was taken out keeps its turn', () => {
    const queues = slots(100);
    for (const origin of ['a', 'b', 'a']) add(queues, origin, 1);
    expect(queues.remove(() => false)).toEqual([]);
    expect(grantAll(queues)).toEqual(['a', 'b', 'a']);
  });

  it('never grants beyond cap or budget (floors aside), never loses or repeats an item, and never idles while something may start', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), origin: fc.constantFrom('a', 'b', 'c') }),
      fc.record({
        kind: fc.constant('release' as const),
        pick: fc.nat(),
        use: fc.constantFrom<SlotUse>('ANSWERED', 'ANSWERED_SLOWLY', 'TIMED_OUT', 'UNUSED'),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), fc.integer({ min: 1, max: 24 }), (steps, slotsMax) => {
        const queues = slots(slotsMax);
        const seen = new Set<number>();
        steps.forEach((each, n) => {
          if (each.kind === 'add') queues.add(only(each.origin), n);
          else if (queues.running.length > 0)
            release(queues, queues.running[each.pick % queues.running.length]!.origin, each.use);
          grantChecked(queues, slotsMax, seen);
          for (const origin of ['a', 'b', 'c']) {
            if (queues.waitingOf(only(origin)).merchant > 0)
              expect(queues.inFlightOf(only(origin))).toBeGreaterThanOrEqual(slotFloor);
          }
          expect(queues.inFlight).toBe(queues.running.length);
        });
      }),
    );
  });
});
