import { onGrid, type Timeline } from './timeline.ts';

type Run = () => void;

interface Backlog {
  timers: Run[];
  io: Run[];
}

/**
 * A process of the platform: it can be paused (stalled event loop, SIGSTOP) and killed. All events of the process pass through this
 * class, and no event of an earlier life of the process does.
 */
export class SimProcess {
  private life = 0;
  private isUp = false;
  private pausedUntilMs = -1;
  private backlog: Backlog = { timers: [], io: [] };
  private checks: Run[] = [];
  /** At each await that ends, and each timer: the chance that the process dies there, and what dying means. */
  crashes: { chance(): number; crash(): void } | undefined;
  /** Offset of its monotonic clock: processes have nothing to compare. */
  private originMs = 0;

  constructor(
    readonly name: string,
    private readonly timeline: Timeline,
  ) {}

  get isAlive(): boolean {
    return this.isUp;
  }

  get isPaused(): boolean {
    return this.isUp && this.pausedUntilMs > this.timeline.nowMs;
  }

  /** Names this life: a restarted process is another one. */
  get identity(): string {
    return `${this.name}#${this.life}`;
  }

  /** Its monotonic clock. */
  nowMs(): number {
    return this.timeline.nowMs - this.originMs;
  }

  start(): void {
    this.life++;
    this.isUp = true;
    this.pausedUntilMs = -1;
    this.originMs = onGrid(this.timeline.random.between(-1e6, this.timeline.nowMs));
    this.timeline.trace(`${this.identity} starts`);
  }

  kill(): void {
    if (!this.isUp) return;
    this.timeline.trace(`${this.identity} is killed`);
    this.isUp = false;
    this.backlog = { timers: [], io: [] };
    this.checks = [];
  }

  pause(forMs: number): void {
    if (!this.isUp || this.isPaused) return;
    this.timeline.trace(`${this.identity} pauses for ${forMs.toFixed(0)} ms`);
    this.pausedUntilMs = this.timeline.nowMs + forMs;
    this.timeline.after(
      forMs,
      this.ofThisLife(() => this.resume()),
    );
  }

  /** A timer of the process. */
  timer(delayMs: number, run: Run): () => void {
    let isLive = true;
    const fire = this.ofThisLife(() => {
      if (!isLive || this.diesHere()) return;
      if (this.isPaused) this.backlog.timers.push(() => isLive && run());
      else run();
    });
    this.timeline.after(delayMs, fire);
    return () => (isLive = false);
  }

  /** As `arrives`, for what this life of the process asked for: a later one never hears of it. */
  get mailbox(): (delayMs: number, read: Run) => void {
    const { life } = this;
    return (delayMs, read) => {
      if (this.life === life) this.arrives(delayMs, read);
    };
  }

  /** Something arrives from outside after a while: an answer, a packet. Read when the process polls. */
  arrives(delayMs: number, read: Run): void {
    const arrive = this.ofThisLife(() => {
      if (this.diesHere()) return;
      if (this.isPaused) this.backlog.io.push(read);
      else read();
    });
    this.timeline.after(delayMs, arrive);
  }

  /** Resolves once the event loop has polled. */
  pollTurn(): Promise<void> {
    return new Promise(resolve => {
      this.checks.push(resolve);
      this.timeline.after(
        0,
        this.ofThisLife(() => this.runChecks()),
      );
    });
  }

  private diesHere(): boolean {
    const chance = this.crashes?.chance() ?? 0;
    if (chance === 0 || !this.timeline.random.chance(chance)) return false;
    this.timeline.faults.add('crash at an await');
    this.crashes!.crash();
    return true;
  }

  /** Wraps a callback so that it does nothing when the process, or this life of it, has ended. */
  private ofThisLife(run: Run): Run {
    const { life } = this;
    return () => {
      if (this.isUp && this.life === life) run();
    };
  }

  /** An event loop that comes back: timers first, then what the kernel holds, in one poll or in two (P-T3). */
  private resume(): void {
    const { timers, io } = this.backlog;
    this.backlog = { timers: [], io: [] };
    this.runAll(timers);
    const inFirstPoll = this.timeline.random.integer(0, io.length);
    this.runAll(io.slice(0, inFirstPoll));
    this.runChecks();
    this.runAll(io.slice(inFirstPoll));
    this.runChecks();
  }

  private runChecks(): void {
    if (this.isPaused) return;
    this.runAll(this.checks.splice(0));
  }

  private runAll(runs: readonly Run[]): void {
    const { life } = this;
    for (const run of runs) {
      if (!this.isUp || this.life !== life) return;
      run();
      this.timeline.settle();
    }
  }
}

/** For tests: the simulation runs promise callbacks itself, so it cannot run inside one. */
export function outsidePromises<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) =>
    setImmediate(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error as Error);
      }
    }),
  );
}
