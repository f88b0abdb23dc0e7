import { DomainError } from '@paycode/service-runtime';
import { isolateCulprits } from './isolate';

export interface FlushQueueLimits {
  /** A flush takes whole requests until it holds this many items (one larger request still goes alone). */
  flushMax: number;
  /** Items that may wait; a request beyond it is refused with QueueFullError. */
  queueMax: number;
  /**
   * Awaited before the first flush after a rest, so that requests of one turn of the event loop share it. Default: the first request is
   * flushed alone, at once.
   */
  turn?: () => Promise<void>;
  /**
   * Awaited after a flush that served so many requests before the next one begins, unless a full one waits, so that more items share a
   * flush under load.
   */
  spacing?: (served: number) => Promise<void> | undefined;
}

/** When a flush waits for more requests. */
export type FlushPauses = Pick<FlushQueueLimits, 'turn' | 'spacing'>;

/** More work is waiting than the queue may hold; nothing of the refused request was written. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  readonly code = 'QUEUE_FULL';
}

interface Waiting<I, O> {
  items: readonly I[];
  resolve(outputs: O[]): void;
  reject(error: unknown): void;
}

/**
 * Merges concurrent requests into one write. A flush is what accumulated while the previous one ran: alone, a request is written at once, or
 * with those of the same `turn`; under load, one statement serves many. `flush` answers in the order of its items.
 *
 * The data of one request never makes another fail (T-29). A flush that fails because of an item's data (isDataFault) is repeated in halves
 * until each culprit is alone: only it fails, with its own error, and the others get their outputs. Of n requests with k culprits that
 * costs at most
 * 2k·⌈log2 n⌉ further flushes and never more than 2n - 2; they run one after the other, while new requests wait within `queueMax`. So
 * `flush` must be atomic or idempotent. Any other failure fails every request that is not answered yet.
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
    if (items.length === 0) return Promise.resolve([]);
    if (this.waitingItems > 0 && this.waitingItems + items.length > this.limits.queueMax)
      return Promise.reject(new QueueFullError(`${this.waitingItems} items are waiting`));
    return new Promise((resolve, reject) => {
      this.waiting.push({ items, resolve, reject });
      this.waitingItems += items.length;
      if (!this.isFlushing) void this.drain();
    });
  }

  /** The output of one item. */
  async runOne(item: I): Promise<O> {
    const [output] = await this.run([item]);
    return output!;
  }

  private async drain(): Promise<void> {
    this.isFlushing = true;
    if (this.limits.turn) await this.limits.turn();
    while (this.waiting.length > 0) {
      const requests = this.take();
      await this.flushOnce(requests);
      if (this.waitingItems < this.limits.flushMax) await this.limits.spacing?.(requests.length);
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

  private async flushOnce(requests: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const outputs = await this.flush(requests.flatMap(request => request.items));
      answer(requests, outputs);
    } catch (error) {
      await this.afterFailure(requests, error);
    }
  }

  private async afterFailure(requests: readonly Waiting<I, O>[], failure: unknown): Promise<void> {
    const write = async (part: readonly Waiting<I, O>[]) =>
      answer(part, await this.flush(part.flatMap(request => request.items)));
    const failed = (culprit: Waiting<I, O>, error: unknown) => culprit.reject(error);
    try {
      await isolateCulprits(requests, failure, { write, failed });
    } catch (error) {
      // Requests that were answered before keep their answers.
      for (const request of requests) request.reject(error);
    }
  }
}

function answer<I, O>(requests: readonly Waiting<I, O>[], outputs: readonly O[]): void {
  let at = 0;
  for (const request of requests) request.resolve(outputs.slice(at, (at += request.items.length)));
}

/** The result of `work`. @throws DomainError 503 when its queue is full: nothing was written, and the caller repeats the call */
export async function whenNotFull<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new DomainError({ status: 503, reason: error.code, message: 'too much work is waiting', cause: error });
  }
}
