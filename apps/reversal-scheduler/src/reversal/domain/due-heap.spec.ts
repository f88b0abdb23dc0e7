import fc from 'fast-check';
import { DueHeap, type Timer } from './due-heap';

const timer = (transactionId: number, dueAtMs: number, shard = 0): Timer => ({
  transactionId,
  merchantId: 1,
  shard,
  dueAtUs: 0,
  dueAtMs,
});
const push = (heap: DueHeap, pushed: Timer) => heap.push(pushed, pushed.dueAtMs);

describe('due heap', () => {
  it('gives timers in the order of a sorted list, never one that is not due', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100 })), fc.integer({ min: 0, max: 100 }), (dues, now) => {
        const heap = new DueHeap();
        dues.forEach((due, id) => push(heap, timer(id, due)));
        const expected = dues.filter(due => due <= now).sort((a, b) => a - b);
        expect(heap.popDue(now, Infinity).map(due => due.dueAtMs)).toEqual(expected);
        expect(heap.size).toBe(dues.length - expected.length);
      }),
    );
  });

  it('keeps one timer per transaction, and takes a new one once it was popped', () => {
    const heap = new DueHeap();
    expect(push(heap, timer(1, 5))).toBe(true);
    expect(push(heap, timer(1, 1))).toBe(false);
    expect(heap.popDue(5, 10)).toEqual([timer(1, 5)]);
    expect(push(heap, timer(1, 1))).toBe(true);
  });

  it('pops at most as many as asked for', () => {
    const heap = new DueHeap();
    for (let id = 0; id < 10; id++) push(heap, timer(id, id));
    expect(heap.popDue(100, 3).map(due => due.transactionId)).toEqual([0, 1, 2]);
    expect(heap.nextAskAtMs).toBe(3);
  });

  it('drops the timers of a released shard and takes them again when the shard comes back', () => {
    const heap = new DueHeap();
    push(heap, timer(1, 1, 7));
    for (let id = 2; id < 8; id++) push(heap, timer(id, id, 8));
    heap.dropShards(new Set([7]));
    expect(heap.popDue(10, 10).map(due => due.transactionId)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(push(heap, timer(1, 1, 7))).toBe(true);
  });
});
