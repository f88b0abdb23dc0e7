import type { EndpointPause } from '@paycode/dto';

/** A pause in effect, and for how much longer by the clock of the database. */
export interface PauseInEffect {
  endpoint: string;
  leftMs: number;
}

/** What a dispatcher reads of pauses. */
export abstract class PauseReader {
  abstract inEffect(): Promise<PauseInEffect[]>;
}

export type NewPause = Pick<EndpointPause, 'endpoint' | 'merchantId' | 'reason' | 'pausedBy'> & { durationS: number };

export type BegunPause =
  | { readonly outcome: 'BEGUN'; readonly pause: EndpointPause }
  /** Another one is in effect. */
  | { readonly outcome: 'PAUSED'; readonly pause: EndpointPause }
  /** The last one ended too short a time ago. */
  | { readonly outcome: 'TOO_SOON'; readonly againAt: string }
  /** So many endpoints are paused already. */
  | { readonly outcome: 'FULL' };

/** Pauses: who, why, from when to when. Rows are never removed. */
export abstract class PauseStore extends PauseReader {
  /** At most one pause of an endpoint at a time, and `restS` between two of them, whoever asks at once. */
  abstract begin(pause: NewPause, limits: { restS: number; inEffectMax: number }): Promise<BegunPause>;
  /** undefined: there is none with this id in effect. */
  abstract end(pauseId: number, endedBy: string): Promise<EndpointPause | undefined>;
  /** Those in effect, then the latest others. */
  abstract list(limit: number): Promise<EndpointPause[]>;
}
