import type { SecurityEvent } from './security-event';

/** The append-only log of security events. */
export abstract class SecurityLog {
  /** Rejects when the event could not be written. */
  abstract record(event: SecurityEvent): Promise<void>;
  /** Each with its own time. One that can never be stored is logged and dropped; rejects when none could be written. */
  abstract recordAll(events: readonly { event: SecurityEvent; at: Date }[]): Promise<void>;
}
