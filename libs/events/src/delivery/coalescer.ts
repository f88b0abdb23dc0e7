import { setTimeout as pause } from 'node:timers/promises';
import { isolate } from '@paycode/persistence';

interface Waiting<I, O> {
  item: I;
  resolve(outcome: O): void;
  reject(error: unknown): void;
}

/**
 * Runs `flush` for one group of items at a time; a group is what accumulated while the previous one ran, so an item that comes alone
 * does not wait and a burst shares round trips. Between two groups it waits `gatherMs` for more to come. `flush` answers one outcome per
 * item, in order. A group that fails by the data of an item is flushed again in halves: only the culprit fails (T-29); so flushing must be harmless to
 * repeat.
 */
export class Coalescer<I, O> {
  private waiting: Waiting<I, O>[] = [];
  private isFlushing = false;

  constructor(
    private readonly flush: (items: I[]) => Promise<readonly O[]>,
    private readonly itemsMax: number,
    private readonly gatherMs = 0,
  ) {}

  add(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isFlushing) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.isFlushing = true;
    while (this.waiting.length > 0) {
      await this.flushGroup(this.waiting.splice(0, this.itemsMax));
      if (this.gatherMs > 0 && this.waiting.length < this.itemsMax) await pause(this.gatherMs);
    }
    this.isFlushing = false;
  }

  private async flushGroup(group: Waiting<I, O>[]): Promise<void> {
    const write = async (part: readonly Waiting<I, O>[]) => {
      const outcomes = await this.flush(part.map(({ item }) => item));
      part.forEach((waiting, at) => waiting.resolve(outcomes[at]!));
    };
    const failed = (culprit: Waiting<I, O>, error: unknown) => culprit.reject(error);
    try {
      await isolate(group, { write, failed });
    } catch (error) {
      // Those that were answered before stay answered.
      for (const waiting of group) waiting.reject(error);
    }
  }
}
