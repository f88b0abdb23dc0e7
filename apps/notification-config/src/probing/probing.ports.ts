import type { ProbeOutcome } from '@paycode/safe-http';

/** Sends the probe body of spec 2.6 through the one door to the outside. */
export abstract class UrlProbe {
  /** Whether the URL may be probed at all, as far as its text tells. */
  abstract isAllowed(url: string): boolean;
  /** Never rejects for anything the receiver does. */
  abstract probe(url: string): Promise<ProbeOutcome>;
}

export interface ProbeRequest {
  merchantId: number;
  /** Who asks: a username or `operator`. */
  caller: string;
  url: string;
}

export type ProbePermit =
  | { ok: true; probeId: string }
  /** `isInFlight`: another probe of the merchant has not ended yet; nothing was spent. */
  | { ok: false; isInFlight: boolean; retryAfterMs: number };

/** Caps on probes over all replicas (T-28): token buckets per merchant, caller and target origin, and one probe in flight per merchant. */
export abstract class ProbeBudget {
  abstract take(request: ProbeRequest): Promise<ProbePermit>;
  /** Ends the probe in flight; the tokens stay spent. */
  abstract release(merchantId: number, probeId: string): Promise<void>;
}
