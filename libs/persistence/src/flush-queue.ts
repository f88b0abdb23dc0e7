import { isDataFault, isolateCulprits, ItemFault } from './isolate';

export interface FlushQueueLimits {
  /** A flush takes whole requests until it holds this many items (one larger request still goes alone). */
  flushMax: number;
  /** Items that may wait; a request beyond it is refused with QueueFullError. */
  queueMax: number;
  /**
   * Awaited after a flush before the next one begins, unless a full one waits: where a flush costs as much as many items, more of them
   * share one under load. A request that finds nothing under way is still flushed at once.
   */
  spacing?: () => Promise<void>;
}

/** More work is waiting than the queue may hold; nothing of the refused request was written. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  readonly code = 'QUEUE_FULL';
}

interface Waiting<I, O> {
  items: readonly I[];
  /** Its items fail one by one instead of all together. */
  isEach: boolean;
  resolve(outputs: (O | ItemFault)[]): void;
  reject(error: unknown): void;
}

/** What fails together: a whole request, or one item of it. */
interface Unit<I, O> {
  request: Waiting<I, O>;
  items: readonly I[];
  at: number;
}

/**
 * Merges concurrent requests into one write. A flush is what accumulated while the previous one ran: alone, a request is written
 * at once; under load, one statement serves many. `flush` answers in the order of its items.
 *
 * One request never fails another by its data (T-29). A flush that fails by the data of an item (isDataFault) is repeated in halves until each
 * culprit stands alone: only it fails, with its own error, and the others get their own outputs. Of n requests with k culprits that costs at most
 * 2k·⌈log2 n⌉ further flushes and never more than 2n - 2; they run one after the other, while what comes waits within `queueMax`. So `flush`
 * must do all or nothing, or be harmless to repeat. Any other failure fails every request that is not answered yet.
 */
export class FlushQueue<I, O> {
  private readonly waiting: Waiting<I, O>[] = [];
  private waitingItems = 0;
  private isFlushing = false;

  constructor(
    private readonly flush: (items: readonly I[]) => Promise<readonly O[]>,
    private readonly limits: FlushQueueLimits,
  ) {}

  /** Items accepted and not yet handed to a flush. */
  get depth(): number {
    return this.waitingItems;
  }

  /** Resolves to one output per item once the flush that holds them is done. */
  run(items: readonly I[]): Promise<O[]> {
    return this.add(items, false) as Promise<O[]>;
  }

  /** As `run`, for items of several parties: an item that fails by its data gets an ItemFault in its place. Rejects as `run` for all else. */
  runEach(items: readonly I[]): Promise<(O | ItemFault)[]> {
    return this.add(items, true);
  }

  private add(items: readonly I[], isEach: boolean): Promise<(O | ItemFault)[]> {
    if (items.length === 0) return Promise.resolve([]);
    if (this.waitingItems > 0 && this.waitingItems + items.length > this.limits.queueMax)
      return Promise.reject(new QueueFullError(`${this.waitingItems} items are waiting`));
    return new Promise((resolve, reject) => {
      this.waiting.push({ items, isEach, resolve, reject });
      this.waitingItems += items.length;
      if (!this.isFlushing) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.isFlushing = true;
    while (this.waiting.length > 0) {
      await this.flushOnce(this.take());
      if (this.waitingItems < this.limits.flushMax) await this.limits.spacing?.();
    }
    this.isFlushing = false;
  }

  private take(): Waiting<I, O>[] {
    const taken: Waiting<I, O>[] = [];
    let count = 0;
    while (this.waiting[0] && (taken.length === 0 || count + this.waiting[0].items.length <= this.limits.flushMax)) {
      const next = this.waiting.shift()!;
      count += next.items.length;
      taken.push(next);
    }
    this.waitingItems -= count;
    return taken;
  }

  private async flushOnce(requests: Waiting<I, O>[]): Promise<void> {
    try {
      const outputs = await this.flush(requests.flatMap(request => request.items));
      let at = 0;
      for (const request of requests) request.resolve(outputs.slice(at, (at += request.items.length)));
    } catch (error) {
      await this.afterFailure(requests, error).catch((cause: unknown) => {
        for (const request of requests) request.reject(cause);
      });
    }
  }

  /** @throws what is nobody's own fault: requests that are not answered yet fail with it */
  private async afterFailure(requests: readonly Waiting<I, O>[], error: unknown): Promise<void> {
    if (!isDataFault(error)) throw error;
    const parts = new Map(requests.filter(({ isEach }) => isEach).map(request => [request, new Parts(request)]));
    await isolateCulprits(requests.flatMap(unitsOf), error, {
      write: async units => {
        const outputs = await this.flush(units.flatMap(unit => unit.items));
        let at = 0;
        for (const { request, items, at: place } of units) {
          const own = outputs.slice(at, (at += items.length));
          if (request.isEach) parts.get(request)!.put(place, own[0]!);
          else request.resolve(own);
        }
      },
      failed: ({ request, at }, fault) => {
        if (request.isEach) parts.get(request)!.put(at, new ItemFault(fault));
        else request.reject(fault);
      },
    });
  }
}

function unitsOf<I, O>(request: Waiting<I, O>): Unit<I, O>[] {
  if (!request.isEach) return [{ request, items: request.items, at: 0 }];
  return request.items.map((item, at) => ({ request, items: [item], at }));
}

/** Outcomes of a request whose items are done one by one; answers it when it has them all. */
class Parts<I, O> {
  private readonly outcomes: (O | ItemFault)[] = [];
  private missing: number;

  constructor(private readonly request: Waiting<I, O>) {
    this.missing = request.items.length;
  }

  put(at: number, outcome: O | ItemFault): void {
    this.outcomes[at] = outcome;
    if (--this.missing === 0) this.request.resolve(this.outcomes);
  }
}
