import type { SecurityEvent } from './security-event';

/** The append-only log of security events. */
export abstract class SecurityLog {
  /** Rejects when the event could not be written. */
  abstract record(event: SecurityEvent): Promise<void>;
  /**
   * Records each event with its own time. It logs and drops an event that can never be stored; it rejects when it could
   * write none.
   */
  abstract recordAll(events: readonly { event: SecurityEvent; at: Date }[]): Promise<void>;
}
