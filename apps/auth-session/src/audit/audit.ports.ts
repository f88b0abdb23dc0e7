import type { SecurityEvent } from './security-event';

/** The append-only log of security events. */
export abstract class SecurityLog {
  /** Rejects when the event could not be written. */
  abstract record(event: SecurityEvent): Promise<void>;
}
