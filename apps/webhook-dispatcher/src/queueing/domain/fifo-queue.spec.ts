import fc from 'fast-check';
import { FifoQueue } from './fifo-queue';

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
