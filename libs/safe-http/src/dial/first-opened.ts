import { isOurFault, OutboundTimeoutError } from '../outbound-errors';

/** A connection that is being opened. */
export interface Opening<S> {
  readonly opened: Promise<S>;
  giveUp(): void;
}

/** Addresses that were checked: they alone may be dialled, in this order. */
export interface Candidates {
  readonly addresses: readonly string[];
  /** More of them, which come later. Rejects when one is not allowed, which ends the dial. */
  readonly late?: Promise<readonly string[]> | undefined;
}

/** At most so many addresses of a name are dialled, so that a name cannot make the platform send packets to any number of hosts. */
const dialledAddressesMax = 16;
/** Pause before the next address is tried beside the ones that have not answered yet: RFC 8305 recommends 250 ms, and no less than 100. */
const staggerMs = { min: 100, max: 250 };

/**
 * The first connection that opens, with its address. The next address is tried when one fails or has not answered for a moment; those before it
 * are not given up, so that a slow one is still used. The pause is shorter where the budget would not be enough for all addresses.
 */
export function firstOpened<S extends { destroy(): unknown }>(
  candidates: Candidates,
  deadline: Deadline,
  dial: (address: string) => Opening<S>,
): Promise<{ socket: S; address: string }> {
  const race = new Race(candidates, deadline, dial);
  return deadline.bound(race.result, () => {
    race.end();
    return new OutboundTimeoutError('connect');
  });
}

class Race<S extends { destroy(): unknown }> {
  private readonly waiting: string[];
  private readonly running = new Set<Opening<S>>();
  private readonly failures: unknown[] = [];
  private readonly outcome = Promise.withResolvers<{ socket: S; address: string }>();
  private readonly pauseMs: number;
  private timer: NodeJS.Timeout | undefined;
  private isLateAwaited: boolean;
  private isOver = false;

  constructor(
    { addresses, late }: Candidates,
    deadline: Deadline,
    private readonly dial: (address: string) => Opening<S>,
  ) {
    this.waiting = addresses.slice(0, dialledAddressesMax);
    this.pauseMs = Math.min(staggerMs.max, Math.max(staggerMs.min, deadline.leftMs / (this.waiting.length + 1)));
    this.isLateAwaited = late !== undefined;
    void late?.then(
      more => this.add(more),
      (error: unknown) => this.reject(error),
    );
    this.next();
  }

  get result(): Promise<{ socket: S; address: string }> {
    return this.outcome.promise;
  }

  /** Gives up everything that is under way. */
  end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    for (const opening of this.running) opening.giveUp();
  }

  private add(addresses: readonly string[]): void {
    this.isLateAwaited = false;
    if (this.isOver) return;
    this.waiting.push(...addresses.slice(0, dialledAddressesMax));
    if (this.running.size === 0) this.next();
    else this.timer ??= setTimeout(() => this.next(), this.pauseMs);
  }

  private next(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const address = this.waiting.shift();
    if (address === undefined) return this.failWhenAllFailed();
    const opening = this.dial(address);
    this.running.add(opening);
    opening.opened.then(
      socket => this.won(opening, socket, address),
      (error: unknown) => this.lost(opening, error),
    );
    if (this.waiting.length > 0) this.timer = setTimeout(() => this.next(), this.pauseMs);
  }

  private won(opening: Opening<S>, socket: S, address: string): void {
    this.running.delete(opening);
    if (this.isOver) return void socket.destroy();
    this.end();
    this.outcome.resolve({ socket, address });
  }

  private lost(opening: Opening<S>, error: unknown): void {
    this.running.delete(opening);
    if (this.isOver) return;
    this.failures.push(error);
    this.next();
  }

  private failWhenAllFailed(): void {
    if (this.running.size > 0 || this.isLateAwaited) return;
    if (this.failures.length <= 1) return this.reject(this.failures[0]);
    const shown = this.failures.find(failure => !isOurFault(failure)) ?? this.failures[0];
    const { code } = shown as NodeJS.ErrnoException;
    this.reject(Object.assign(new AggregateError(this.failures, 'no address could be reached', { cause: shown }), { code }));
  }

  private reject(error: unknown): void {
    if (this.isOver) return;
    this.end();
    this.outcome.reject(error);
  }
}

/** One budget for several steps, on the monotonic clock. */
export class Deadline {
  private readonly endsAt: number;

  constructor(budgetMs: number) {
    this.endsAt = performance.now() + budgetMs;
  }

  get leftMs(): number {
    return Math.max(0, this.endsAt - performance.now());
  }

  /** Runs one step. When the budget ends first, rejects with what `expire` gives, which also gives up the step. */
  async bound<T>(step: Promise<T>, expire: () => Error): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(expire()), this.leftMs);
    });
    try {
      return await Promise.race([step, expired]);
    } finally {
      clearTimeout(timer);
    }
  }
}
