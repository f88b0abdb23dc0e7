import { BoundedMap } from '@paycode/service-runtime/timing';

const knownMax = 20_000;
/**
 * The store is asked again after this long, in milliseconds, so that a count that was given back or removed by hand takes effect
 * soon.
 */
const knownForMs = 1_000;

interface KnownBlock {
  untilMs: number;
  sinceMs: number;
}

/**
 * Keys that this replica knows to be waiting. It refuses their tries without a statement, so that a flood of them costs nothing. It is only
 * a cache: the store knows all of them.
 */
export class KnownBlocks {
  private readonly blocks = new BoundedMap<string, KnownBlock>(knownMax);

  /** The time until which the last of these keys waits, in epoch milliseconds; 0 when none is known to wait. */
  lastOf(keys: readonly Buffer[], nowMs: number): number {
    if (this.blocks.size === 0) return 0;
    return Math.max(0, ...keys.map(key => this.untilOf(key, nowMs)));
  }

  add(key: Buffer, untilMs: number, nowMs: number): void {
    this.blocks.set(key.toString('hex'), { untilMs, sinceMs: nowMs });
  }

  private untilOf(key: Buffer, nowMs: number): number {
    const block = this.blocks.get(key.toString('hex'));
    const isFresh = block !== undefined && nowMs >= block.sinceMs && nowMs < block.sinceMs + knownForMs;
    return isFresh && nowMs < block.untilMs ? block.untilMs : 0;
  }
}
