import fc from 'fast-check';
import { OriginQueues, type SlotUse } from './origin-queues';
import { slotFloor, slotsAtFirst } from './slot-cap';

/** Grants everything that may start now. */
function grantAll(queues: OriginQueues<number>): string[] {
  const origins: string[] = [];
  for (let granted = queues.next(); granted; granted = queues.next()) origins.push(granted.origin);
  return origins;
}

function add(queues: OriginQueues<number>, origin: string, count: number): void {
  for (let n = 0; n < count; n++) queues.add(origin, n);
}

/** Lets an endpoint earn the largest cap: it answers a thousand requests while more wait. */
function warmUp(queues: OriginQueues<number>, origin: string): void {
  add(queues, origin, 1_000);
  for (let n = 0; n < 1_000; n++) {
    grantAll(queues);
    queues.release(origin, 'ANSWERED_SLOWLY');
  }
}

describe('slots of endpoints (P-I12, F-45)', () => {
  it('keeps the order of one endpoint', () => {
    const queues = new OriginQueues<number>({ slotsMax: 100 });
    add(queues, 'a', 3);
    expect([queues.next(), queues.next(), queues.next()].map(granted => granted!.item)).toEqual([0, 1, 2]);
  });

  it('shares scarce slots evenly: a free slot goes to the endpoint that has the fewest', () => {
    const queues = new OriginQueues<number>({ slotsMax: 40 });
    add(queues, 'a', 100);
    add(queues, 'b', 100);
    const granted = grantAll(queues);
    expect(granted.filter(origin => origin === 'a')).toHaveLength(10);
    expect(granted.filter(origin => origin === 'b')).toHaveLength(10);
    expect(granted.slice(0, 4)).toEqual(['a', 'b', 'a', 'b']);
  });

  it('uses no more sockets than the process has, although each endpoint could take one more', () => {
    const queues = new OriginQueues<number>({ slotsMax: 20 });
    for (const origin of ['a', 'b', 'c', 'd', 'e']) add(queues, origin, 10);
    expect(grantAll(queues)).toHaveLength(20);
  });

  it('lets one endpoint take a quarter of the sockets at most, however well it answers', () => {
    const queues = new OriginQueues<number>({ slotsMax: 400 });
    warmUp(queues, 'a');
    expect([queues.capOf('a'), queues.inFlight]).toEqual([100, 0]);
    add(queues, 'a', 1_000);
    expect(grantAll(queues)).toHaveLength(100);
  });

  it('grows an endpoint only while its deliveries wait for slots that its receiver fills, and not while this process is the bottleneck', () => {
    const queues = new OriginQueues<number>({ slotsMax: 4_000 });
    const answerOne = (waiting: number, use: 'ANSWERED' | 'ANSWERED_SLOWLY' = 'ANSWERED_SLOWLY') => {
      add(queues, 'a', waiting);
      grantAll(queues);
      queues.release('a', use);
    };
    for (let n = 0; n < 100; n++) answerOne(1);
    expect(queues.capOf('a')).toBe(slotsAtFirst);
    queues.mayGrow = false;
    add(queues, 'a', 1_000);
    for (let n = 0; n < 100; n++) answerOne(1);
    expect(queues.capOf('a')).toBe(slotsAtFirst);
    queues.mayGrow = true;
    for (let n = 0; n < 100; n++) answerOne(1, 'ANSWERED');
    expect(queues.capOf('a')).toBe(slotsAtFirst);
    for (let n = 0; n < slotsAtFirst; n++) answerOne(1);
    expect(queues.capOf('a')).toBe(2 * slotsAtFirst);
  });

  it('does not grow an endpoint of which all slots are in use while nothing waits for one', () => {
    const queues = new OriginQueues<number>({ slotsMax: 4_000 });
    for (let n = 0; n < 10 * slotsAtFirst; n++) {
      add(queues, 'a', queues.inFlight === 0 ? slotsAtFirst : 1);
      grantAll(queues);
      queues.release('a', 'ANSWERED_SLOWLY');
    }
    expect(queues.capOf('a')).toBe(slotsAtFirst);
  });

  it('does not grow an endpoint whose deliveries wait for sockets of the process, while it has slots left', () => {
    const queues = new OriginQueues<number>({ slotsMax: 4_000 });
    add(queues, 'a', 1_000);
    for (let n = 0; n < 10 * slotsAtFirst; n++) {
      queues.next();
      queues.release('a', 'ANSWERED_SLOWLY');
    }
    expect(queues.capOf('a')).toBe(slotsAtFirst);
  });

  it('gives every endpoint its four slots although hanging ones use up the budget (T-12)', () => {
    const queues = new OriginQueues<number>({ slotsMax: 16 });
    for (const origin of ['h1', 'h2', 'h3', 'h4']) add(queues, origin, 50);
    expect(grantAll(queues)).toHaveLength(16);
    add(queues, 'healthy', 10);
    expect(grantAll(queues)).toEqual(Array.from({ length: slotFloor }, () => 'healthy'));
  });

  it('a freed slot of a hanging endpoint goes to the first that needs it', () => {
    const queues = new OriginQueues<number>({ slotsMax: 16 });
    for (const origin of ['h1', 'h2', 'h3', 'h4']) add(queues, origin, 50);
    grantAll(queues);
    add(queues, 'healthy', 10);
    grantAll(queues);
    queues.release('healthy', 'ANSWERED');
    expect(grantAll(queues)).toEqual(['healthy']);
  });

  it('halves the slots of an endpoint that times out, once per round, never below four', () => {
    const queues = new OriginQueues<number>({ slotsMax: 1_000 });
    add(queues, 'a', slotsAtFirst);
    const running = grantAll(queues);
    for (const origin of running.slice(0, 30)) queues.release(origin, 'TIMED_OUT');
    expect(queues.capOf('a')).toBe(slotsAtFirst / 2);
    for (const origin of running.slice(30)) queues.release(origin, 'TIMED_OUT');
    for (let n = 0; n < 200; n++) {
      add(queues, 'a', 1);
      for (const origin of grantAll(queues)) queues.release(origin, 'TIMED_OUT');
    }
    expect(queues.capOf('a')).toBe(slotFloor);
  });

  it('knows how many deliveries would start soon, by its slots or by its rate of answers', () => {
    const queues = new OriginQueues<number>({ slotsMax: 1_000 });
    expect(queues.startingWithin('a', 2)).toBe(slotsAtFirst);
    for (let n = 0; n < 500; n++) {
      add(queues, 'a', 1);
      for (const origin of grantAll(queues)) queues.release(origin, 'ANSWERED');
    }
    queues.tick();
    expect(queues.startingWithin('a', 2)).toBe(1_000);
  });

  it('takes waiting items out and forgets nothing else', () => {
    const queues = new OriginQueues<number>({ slotsMax: 100 });
    add(queues, 'a', 5);
    add(queues, 'b', 2);
    expect(queues.remove(item => item % 2 === 1)).toEqual([1, 3, 1]);
    expect(queues.waiting).toBe(4);
    expect(grantAll(queues)).toHaveLength(4);
  });

  it('an endpoint from which nothing was taken out keeps its turn', () => {
    const queues = new OriginQueues<number>({ slotsMax: 100 });
    for (const origin of ['a', 'b', 'a']) add(queues, origin, 1);
    expect(queues.remove(() => false)).toEqual([]);
    expect(grantAll(queues)).toEqual(['b', 'a', 'a']);
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
        const queues = new OriginQueues<number>({ slotsMax });
        const running: { origin: string; item: number }[] = [];
        const seen = new Set<number>();
        const inFlight = (origin: string) => running.filter(each => each.origin === origin).length;
        steps.forEach((each, n) => {
          if (each.kind === 'add') queues.add(each.origin, n);
          else if (running.length > 0) queues.release(running.splice(each.pick % running.length, 1)[0]!.origin, each.use);
          for (let granted = queues.next(); granted; granted = queues.next()) {
            const before = inFlight(granted.origin);
            expect(before < slotFloor || (running.length < slotsMax && before < queues.capOf(granted.origin))).toBe(true);
            expect(seen.has(granted.item)).toBe(false);
            seen.add(granted.item);
            running.push(granted);
          }
          for (const origin of ['a', 'b', 'c']) {
            if (queues.waitingOf(origin) > 0) expect(inFlight(origin)).toBeGreaterThanOrEqual(slotFloor);
          }
          expect(queues.inFlight).toBe(running.length);
        });
      }),
    );
  });
});
