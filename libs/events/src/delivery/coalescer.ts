import { setTimeout as pause } from 'node:timers/promises';

interface Waiting<I, O> {
  item: I;
  resolve(outcome: O): void;
  reject(error: unknown): void;
}

/**
 * Runs `flush` for one group of items at a time; a group is what accumulated while the previous one ran, so an item that comes alone
 * does not wait and a burst shares round trips. Between two groups it waits `gatherMs` for more to come. `flush` answers one outcome per
 * item, in order.
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
    try {
      const outcomes = await this.flush(group.map(({ item }) => item));
      group.forEach((waiting, at) => waiting.resolve(outcomes[at]!));
    } catch (error) {
      for (const waiting of group) waiting.reject(error);
    }
  }
}
