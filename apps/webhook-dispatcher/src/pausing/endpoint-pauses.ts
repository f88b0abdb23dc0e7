import type { Clock } from '@paycode/service-runtime/timing';

/** A pause in effect, and for how much longer by the clock of the database. */
export interface PauseInEffect {
  endpoint: string;
  leftMs: number;
}

/** The pauses that a dispatcher reads. */
export abstract class PauseReader {
  abstract inEffect(): Promise<PauseInEffect[]>;
}

/**
 * The paused endpoints, as this replica knows them. Runs in passes. Each pause ends here by itself when its time is over, also while the
 * database cannot be read.
 */
export class EndpointPauses {
  /** Monotonic instants of their ends, by endpoint; undefined: never read. */
  private untilMs: ReadonlyMap<string, number> | undefined;
  private changed: () => void = () => undefined;

  constructor(
    private readonly reader: PauseReader,
    private readonly clock: Clock,
  ) {}

  /** Sets the listener that is called when an endpoint was paused. */
  onPaused(listener: () => void): void {
    this.changed = listener;
  }

  get count(): number {
    return [...(this.untilMs?.keys() ?? [])].filter(endpoint => this.isPaused(endpoint)).length;
  }

  isPaused(endpoint: string): boolean {
    const untilMs = this.untilMs?.get(endpoint);
    return untilMs !== undefined && this.clock.nowMs() < untilMs;
  }

  async pass(): Promise<void> {
    const askedMs = this.clock.nowMs();
    const before = this.untilMs;
    const inEffect = await this.reader.inEffect();
    this.untilMs = new Map(inEffect.map(({ endpoint, leftMs }) => [endpoint, askedMs + leftMs]));
    if (inEffect.some(({ endpoint }) => !before?.has(endpoint))) this.changed();
  }

  /** Before a replica takes shards, so that it starts nothing that its predecessor was ordered to keep. */
  async known(): Promise<void> {
    if (!this.untilMs) await this.pass();
  }
}
