import { ManualClock, settled } from '@paycode/service-runtime/timing/testing';
import { HandshakeGate, type LeaveGate, RoundRobinQueue } from './handshake-gate';

describe('handshakes are throttled (P-1.9)', () => {
  let clock: ManualClock;
  let idle: Map<string, number>;
  let gate: HandshakeGate;
  let entered: string[];
  let leaves: LeaveGate[];
  const enter = (origin: string) =>
    void gate.enter(origin).then(leave => {
      entered.push(origin);
      leaves.push(leave);
    });
  const enterMany = (origin: string, count: number) => Array.from({ length: count }, () => enter(origin));

  beforeEach(() => {
    clock = new ManualClock();
    idle = new Map();
    gate = new HandshakeGate(clock, { handshakesPerSecond: 100, idleOf: origin => idle.get(origin) ?? 0 });
    [entered, leaves] = [[], []];
  });

  it('has one timer while somebody waits, and none while nobody does', async () => {
    enterMany('https://a', 27);
    expect(clock.timerCount).toBe(1);
    await clock.advance(20);
    expect([entered.length, clock.timerCount]).toEqual([27, 0]);
  });

  it('opens a burst at once and then a fixed number per second', async () => {
    enterMany('https://a', 100);
    await settled();
    expect(entered).toHaveLength(25);
    await clock.advance(500);
    expect(entered.length).toBeGreaterThanOrEqual(74);
    expect(entered.length).toBeLessThanOrEqual(76);
    await clock.advance(500);
    expect(entered).toHaveLength(100);
  });

  it('lets a delivery in at once for each free connection', async () => {
    enterMany('https://other', 25);
    idle.set('https://a', 2);
    enterMany('https://a', 3);
    await settled();
    expect(entered.filter(origin => origin === 'https://a')).toHaveLength(2);
    enter('https://a');
    leaves.at(-1)!();
    await settled();
    expect(entered.filter(origin => origin === 'https://a')).toHaveLength(3);
    idle.set('https://a', 0);
    for (const leave of leaves.slice(-2)) leave();
    expect((Reflect.get(gate, 'reserved') as Map<string, number>).size).toBe(0);
  });

  it('gives a connection that becomes free to the delivery that waits for it', async () => {
    enterMany('https://other', 25);
    enter('https://a');
    await settled();
    expect(entered).not.toContain('https://a');
    idle.set('https://a', 1);
    gate.onIdle('https://a');
    await settled();
    expect(entered).toContain('https://a');
  });

  it('relays share the free connections of their origin (A-78)', async () => {
    enterMany('https://other', 25);
    idle.set('https://sandbox', 2);
    for (const relay of ['one', 'other']) enter(`https://sandbox/public/relay/${relay}`);
    await settled();
    expect(entered.slice(-2)).toEqual(['https://sandbox/public/relay/one', 'https://sandbox/public/relay/other']);
  });

  it('an endpoint whose connections keep breaking does not delay another (T-12)', async () => {
    enterMany('https://breaking', 500);
    enter('https://a');
    await clock.advance(30);
    expect(entered).toContain('https://a');
  });

  it('ten thousand hanging endpoints do not delay one that works (F-46)', async () => {
    gate.onIdle('https://works');
    for (let n = 0; n < 10_000; n++) enter(`https://hanging-${n}`);
    enter('https://works');
    await clock.advance(30);
    expect(entered).toContain('https://works');
  });

  describe('an endpoint counts as one that works', () => {
    const goesFirst = async () => {
      enterMany('https://other', 25);
      for (let n = 0; n < 100; n++) enter(`https://hanging-${n}`);
      enter('https://works');
      await clock.advance(30);
      return entered.includes('https://works');
    };
    beforeEach(async () => {
      await clock.advance(1_000);
      gate.onIdle('https://works');
    });

    it.each([
      [299_999, true],
      [300_000, false],
    ])('%i ms after it last answered: %p', async (laterMs, expected) => {
      await clock.advance(laterMs);
      expect(await goesFirst()).toBe(expected);
    });

    it.each([
      [49_999, true],
      [50_000, false],
    ])('after %i others have answered: %p', async (others, expected) => {
      for (let n = 0; n < others; n++) gate.onIdle(`https://answered-${n}`);
      expect(await goesFirst()).toBe(expected);
    });
  });

  it('plain HTTP passes', async () => {
    enterMany('http://a', 1_000);
    await settled();
    expect(entered).toHaveLength(1_000);
  });
});

describe('the queue of waiting deliveries per endpoint (P-1.9, T-12)', () => {
  let queue: RoundRobinQueue<string>;
  beforeEach(() => (queue = new RoundRobinQueue()));
  const add = (endpoint: string, count: number, hasAnswered = false) => {
    for (let n = 1; n <= count; n++) queue.add(endpoint, `${endpoint}${n}`, hasAnswered);
  };
  const takeAll = () => {
    const taken: (string | undefined)[] = [];
    while (!queue.isEmpty) taken.push(queue.take());
    return taken;
  };

  it('is empty until a delivery waits, whether its endpoint has answered or not', () => {
    expect([queue.isEmpty, queue.take(), queue.takeAt('a')]).toEqual([true, undefined, undefined]);
    add('a', 1);
    expect(queue.isEmpty).toBe(false);
    expect([queue.take(), queue.isEmpty]).toEqual(['a1', true]);
    add('a', 1, true);
    expect(queue.isEmpty).toBe(false);
    expect([queue.take(), queue.isEmpty]).toEqual(['a1', true]);
  });

  it('serves endpoint by endpoint, each in the order of arrival', () => {
    add('a', 3);
    add('b', 1);
    add('c', 2);
    expect(takeAll()).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('alternates between endpoints that have answered lately and the others', () => {
    for (const endpoint of ['h', 'i', 'j']) add(endpoint, 2);
    add('w', 2, true);
    expect(takeAll()).toEqual(['h1', 'w1', 'i1', 'w2', 'j1', 'h2', 'i2', 'j2']);
  });

  it('is not empty while as many wait at endpoints that have answered as at others', () => {
    add('a', 1, true);
    add('b', 1);
    expect(queue.isEmpty).toBe(false);
  });

  it('takes the endpoints that have answered in turn as well', () => {
    add('v', 2, true);
    add('w', 2, true);
    expect(takeAll()).toEqual(['v1', 'w1', 'v2', 'w2']);
  });

  it('starts the oldest delivery of an endpoint first, and forgets an endpoint where none waits', () => {
    add('a', 2);
    add('b', 1);
    expect([queue.takeAt('a'), queue.takeAt('a'), queue.takeAt('a')]).toEqual(['a1', 'a2', undefined]);
    expect(takeAll()).toEqual(['b1']);
  });

  it('finds a waiting delivery also if its endpoint has answered since', () => {
    add('a', 1);
    add('a', 1, true);
    expect([queue.takeAt('a'), queue.takeAt('a'), queue.isEmpty]).toEqual(['a1', 'a1', true]);
  });
});
