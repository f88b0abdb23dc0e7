import type { InternalCaller } from './service-token-keys';

interface KnownCaller {
  caller: InternalCaller;
  untilMs: number;
}

const keptMax = 1_000;
/** Longest a token is believed without being verified anew, in milliseconds: until then a withdrawn key goes on being believed. */
const keptMs = 60_000;

/**
 * Tokens that have been verified, for a minute at most. A service sends one token for most of its minute: verifying it anew for every call
 * would cost more than many of the calls themselves.
 */
export class KnownCallers {
  private readonly byHeader = new Map<string, KnownCaller>();

  /** The caller that sent this Authorization header before; undefined once its token has expired. */
  find(header: string | undefined, nowMs: number): InternalCaller | undefined {
    const known = header === undefined ? undefined : this.byHeader.get(header);
    return known && nowMs < known.untilMs ? known.caller : undefined;
  }

  /** Remembers a header whose token has been verified for that caller. */
  add(header: string, caller: InternalCaller, nowMs: number): void {
    if (this.byHeader.size >= keptMax) this.byHeader.clear();
    this.byHeader.set(header, { caller, untilMs: Math.min(caller.expiresAtS * 1_000, nowMs + keptMs) });
  }
}
