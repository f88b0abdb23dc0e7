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

describe('a line of deliveries', () => {
  it('does what an array does, whatever is added, taken and removed', () => {
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

  it('keeps of what was taken no more than waits, a few aside', () => {
    const queue = filled(1);
    for (let item = 1; item < 1_000; item++) {
      queue.add(item);
      queue.take();
    }
    expect((Reflect.get(queue, 'items') as unknown[]).length).toBeLessThanOrEqual(33);
  });

  it('takes in constant time: what is copied while it empties is no more than it held', () => {
    const held = 4_096;
    const queue = filled(held);
    const slice = jest.spyOn(Array.prototype, 'slice');
    while (queue.length > 0) queue.take();
    const copied = slice.mock.results.map(({ value }) => (value as unknown[]).length).reduce((sum, length) => sum + length, 0);
    slice.mockRestore();
    expect(copied).toBeLessThanOrEqual(held);
  });
});
