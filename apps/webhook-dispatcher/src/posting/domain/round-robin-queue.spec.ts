import { RoundRobinQueue } from './round-robin-queue';

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
