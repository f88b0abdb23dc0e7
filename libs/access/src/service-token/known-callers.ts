import { BoundedMap } from '@paycode/service-runtime/timing';
import type { InternalCaller } from './token-keys';

interface KnownCaller {
  caller: InternalCaller;
  untilMs: number;
}

const keptMax = 1_000;
/** A verified token is accepted for this long without another verification, in milliseconds; a withdrawn key is accepted for at most as long. */
const keptMs = 60_000;

/**
 * Tokens that have been verified, kept for a minute at most. A service uses one token for most of its minute, and verifying it for every
 * call would cost more than many of the calls.
 */
export class KnownCallers {
  private readonly byHeader = new BoundedMap<string, KnownCaller>(keptMax);

  /** The caller that sent this Authorization header before; undefined once its token has expired. */
  find(header: string | undefined, nowMs: number): InternalCaller | undefined {
    const known = header === undefined ? undefined : this.byHeader.get(header);
    return known && nowMs < known.untilMs ? known.caller : undefined;
  }

  /** Remembers a header whose token has been verified for that caller. */
  add(header: string, caller: InternalCaller, nowMs: number): void {
    this.byHeader.set(header, { caller, untilMs: Math.min(caller.expiresAtS * 1_000, nowMs + keptMs) });
  }
}
