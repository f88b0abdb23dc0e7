import type { ProbeMessage, ProbeOutcome } from '@paycode/safe-http';

/** Sends one POST through `libs/safe-http`: the probe body of section 2.6, or another message. */
export abstract class UrlProbe {
  /** Whether the text of the URL permits a probe. */
  abstract isAllowed(url: string): boolean;
  /** Never rejects because of the receiver. */
  abstract probe(url: string, message?: ProbeMessage): Promise<ProbeOutcome>;
}

export interface ProbeRequest {
  merchantId: number;
  /** The caller: a username or `operator`. */
  caller: string;
  url: string;
  /** Sent in place of the probe body. */
  message?: ProbeMessage;
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
