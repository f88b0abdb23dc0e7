export interface PeriodicTaskOptions {
  /** Pause between the end of a run and the start of the next, in milliseconds. */
  everyMs: number;
  /** Pause before the first run. Default: none. */
  firstAfterMs?: number;
  /** Pause after a run that failed. Default: `everyMs`. */
  afterFaultMs?: number;
  /** Called for each failed run; the task continues. */
  failed(error: unknown): void;
}

/**
 * Runs work repeatedly until `stop`, one run at a time: a slow run delays the next and never overlaps with it. A run may return the pause
 * before the next one, in milliseconds; 0 means at once. A run may itself loop as long as `signal` is not aborted.
 */
export class PeriodicTask {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private endPause: () => void = () => undefined;
  private isWoken = false;

  constructor(
    private readonly work: (signal: AbortSignal) => Promise<number | void>,
    private readonly options: PeriodicTaskOptions,
  ) {}

  /** To be called once. */
  start(): this {
    this.running = this.loop();
    return this;
  }

  /** Ends the pause; the pause after a run under way is left out. */
  wake(): void {
    this.isWoken = true;
    this.endPause();
  }

  /** Ends the pause; resolves when the run under way has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping;
    let waitMs = this.options.firstAfterMs ?? 0;
    for (;;) {
      if (waitMs > 0 && !this.isWoken) await this.pause(waitMs);
      if (signal.aborted) return;
      this.isWoken = false;
      waitMs = await this.runOnce(signal);
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async runOnce(signal: AbortSignal): Promise<number> {
    const { everyMs, afterFaultMs, failed } = this.options;
    try {
      return (await this.work(signal)) ?? everyMs;
    } catch (error) {
      failed(error);
      return afterFaultMs ?? everyMs;
    }
  }
}

/** A task that runs as long as its application: a provider of Nest. */
export class PeriodicJob extends PeriodicTask {
  onApplicationBootstrap(): void {
    this.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.stop();
  }
}

export interface BackoffLimits {
  firstMs: number;
  maxMs: number;
}

/**
 * Exponential wait after `failures` failures in a row, in milliseconds: `firstMs`, doubled each time up to `maxMs`, shortened by up to a half.
 * `chance` (0 to 1) says by how much. It is random, so that replicas do not retry at the same time; 0 gives the same wait every
 * time.
 */
export function backoffMs(failures: number, { firstMs, maxMs }: BackoffLimits, chance = Math.random()): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return fullMs * (1 - chance / 2);
}
