import { FlushQueue, QueueFullError } from './flush-queue';

/** A flush that records its batches and ends when told to. */
function heldFlush() {
  const batches: number[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const flush = (items: readonly number[]): Promise<number[]> => {
    batches.push([...items]);
    return new Promise((resolve, reject) => ends.push(error => (error ? reject(error) : resolve(items.map(item => item * 10)))));
  };
  return { batches, ends, flush };
}

/** Lets the queue hand over its next flush. */
const turn = () => new Promise<void>(resolve => setImmediate(resolve));

describe('flush queue', () => {
  it('writes a lone request at once and merges what accumulated meanwhile', async () => {
    const { batches, ends, flush } = heldFlush();
    const queue = new FlushQueue(flush, { flushMax: 100, queueMax: 100 });
    const answers = [queue.run([1]), queue.run([2, 3]), queue.run([4])];
    expect(batches).toEqual([[1]]);
    ends[0]!();
    expect(await answers[0]).toEqual([10]);
    await turn();
    expect(batches[1]).toEqual([2, 3, 4]);
    ends[1]!();
    expect(await Promise.all(answers.slice(1))).toEqual([[20, 30], [40]]);
  });

  it('never splits a request and keeps a flush within its size', async () => {
    const { batches, ends, flush } = heldFlush();
    const queue = new FlushQueue(flush, { flushMax: 3, queueMax: 100 });
    const answers = [[0], [1, 2], [3, 4], [5, 6, 7, 8]].map(items => queue.run(items));
    for (let i = 0; i < 4; i++) {
      ends[i]!();
      await answers[i];
      await turn();
    }
    expect(batches).toEqual([[0], [1, 2], [3, 4], [5, 6, 7, 8]]);
  });

  it('lets requests of one turn share the first flush after a rest', async () => {
    const { batches, ends, flush } = heldFlush();
    const queue = new FlushQueue(flush, { flushMax: 100, queueMax: 100, turn });
    void queue.run([1]);
    void queue.run([2]);
    expect(batches).toEqual([]);
    await turn();
    expect(batches).toEqual([[1, 2]]);
    void queue.run([3]);
    ends[0]!();
    await turn();
    expect(batches).toEqual([[1, 2], [3]]);
  });

  it('leaves space between flushes, so that more requests share one, but not before a full one', async () => {
    const { batches, ends, flush } = heldFlush();
    const spaces: (() => void)[] = [];
    const spacing = () => new Promise<void>(resolve => spaces.push(resolve));
    const queue = new FlushQueue(flush, { flushMax: 3, queueMax: 100, spacing });
    void queue.run([1]);
    void queue.run([2]);
    ends[0]!();
    await turn();
    void queue.run([3]);
    expect(batches).toEqual([[1]]);
    spaces[0]!();
    await turn();
    expect(batches).toEqual([[1], [2, 3]]);
    void queue.run([4, 5, 6]);
    ends[1]!();
    await turn();
    expect(batches).toEqual([[1], [2, 3], [4, 5, 6]]);
    expect(spaces).toHaveLength(1);
  });

  it('says how many requests a flush served, so that after a lone one nobody has to wait', async () => {
    const { batches, ends, flush } = heldFlush();
    const spaces: (() => void)[] = [];
    const spacing = (served: number) => (served > 1 ? new Promise<void>(resolve => spaces.push(resolve)) : undefined);
    const queue = new FlushQueue(flush, { flushMax: 100, queueMax: 100, spacing });
    const requests = [[1, 2], [3], [4]].map(items => queue.run(items));
    ends[0]!();
    await requests[0];
    await turn();
    void queue.run([5]);
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    ends[1]!();
    await turn();
    expect(batches).toHaveLength(2);
    spaces[0]!();
    await turn();
    expect(batches[2]).toEqual([5]);
  });

  it('fails every request of a failed flush and continues with the next', async () => {
    const { ends, flush } = heldFlush();
    const queue = new FlushQueue(flush, { flushMax: 100, queueMax: 100 });
    const failed = queue.run([1]);
    const next = queue.run([2]);
    ends[0]!(new Error('connection lost'));
    await expect(failed).rejects.toThrow('connection lost');
    await turn();
    ends[1]!();
    expect(await next).toEqual([20]);
  });

  it('refuses requests beyond its limit, and accepts again when there is room', async () => {
    const { ends, flush } = heldFlush();
    const queue = new FlushQueue(flush, { flushMax: 100, queueMax: 2 });
    const first = queue.run([1]);
    const second = queue.run([2, 3]);
    await expect(queue.run([4])).rejects.toThrow(QueueFullError);
    ends[0]!();
    await first;
    await turn();
    ends[1]!();
    await second;
    expect(queue.depth).toBe(0);
  });
});
