import { OriginQueues, type SlotUse } from './origin-queues';
import { type Destination, slotsAtFirst } from './origin-share';

const only = (origin: string): Destination => ({ origin, merchantId: 1, pspId: 1 });
const a = only('a');

describe('the memory about a merchant and its endpoint (P-1.9)', () => {
  let queues: OriginQueues<number>;
  beforeEach(() => (queues = new OriginQueues({ slotsMax: 1_000 })));
  const request = (use: SlotUse) => {
    queues.add(a, 0);
    queues.release(queues.next()!, use);
  };
  /** How many new items would start within that time. */
  const starting = (seconds: number) => {
    let count = 0;
    while (queues.startsWithin(a, seconds, { merchant: count, origin: count })) count++;
    return count;
  };
  const pass = (seconds: number) => {
    for (let n = 0; n < seconds; n++) queues.tick();
  };

  it('has the numbers of waiting deliveries and requests under way', () => {
    const counts = () => [queues.waiting, queues.waitingOf(a).merchant, queues.inFlight];
    expect([counts(), queues.next()]).toEqual([[0, 0, 0], undefined]);
    for (let n = 0; n < 3; n++) queues.add(a, n);
    expect(counts()).toEqual([3, 3, 0]);
    const [granted] = [queues.next()!, queues.next()];
    expect(counts()).toEqual([1, 1, 2]);
    queues.release(granted, 'ANSWERED');
    expect(counts()).toEqual([1, 1, 1]);
    expect([queues.remove(() => false), queues.remove(() => true), counts()]).toEqual([[], [2], [0, 0, 1]]);
    expect(queues.next()).toBeUndefined();
  });

  it('has the number of answers within the last second, without time-outs and unsent requests', () => {
    for (let n = 0; n < 150; n++) request('ANSWERED');
    for (let n = 0; n < 9; n++) request('UNUSED');
    expect(starting(1)).toBe(slotsAtFirst);
    queues.tick();
    expect([0.1, 1, 1.01].map(starting)).toEqual([slotsAtFirst, 150, 151]);
    queues.tick();
    expect(starting(1)).toBe(slotsAtFirst);
    for (let n = 0; n < 150; n++) request('TIMED_OUT');
    queues.tick();
    expect(starting(1)).toBeLessThan(slotsAtFirst);
  });

  it('is whether it is held up: all its slots are in use, and not by this process', () => {
    expect(queues.isHeldUp(a)).toBe(false);
    for (let n = 0; n < slotsAtFirst; n++) queues.add(a, n);
    expect(queues.isHeldUp(a)).toBe(false);
    for (let n = 1; n < slotsAtFirst; n++) queues.next();
    expect(queues.isHeldUp(a)).toBe(false);
    queues.next();
    expect([queues.isHeldUp(a), queues.isHeldUp(only('b'))]).toEqual([true, false]);
    queues.mayGrow = false;
    expect(queues.isHeldUp(a)).toBe(false);
  });

  describe('once it timed out', () => {
    const learned = slotsAtFirst / 2;
    beforeEach(() => request('TIMED_OUT'));

    it('is forgotten five minutes later', () => {
      pass(300);
      expect(queues.capOf(a)).toBe(learned);
      pass(1);
      expect(queues.capOf(a)).toBe(slotsAtFirst);
    });

    it('is forgotten five minutes after its last answer', () => {
      pass(200);
      request('ANSWERED');
      pass(301);
      expect(queues.capOf(a)).toBe(learned);
      pass(1);
      expect(queues.capOf(a)).toBe(slotsAtFirst);
    });

    it('is kept while it answers', () => {
      for (let n = 0; n < 400; n++) {
        request('ANSWERED');
        pass(1);
      }
      expect(queues.capOf(a)).toBe(learned);
    });

    it('is kept while a request waits', () => {
      queues.add(a, 1);
      pass(400);
      expect([queues.capOf(a), queues.next()?.item]).toEqual([learned, 1]);
    });

    it('is kept while a request is under way', () => {
      queues.add(a, 1);
      queues.next();
      pass(400);
      expect(queues.capOf(a)).toBe(learned);
    });
  });
});
