import type { Channel } from '@paycode/dto';
import type { Recipient } from './recipient';

export interface HttpNotification {
  url: string;
  version: string;
  keyId: string;
  sealedKey: string;
  /** A header field that the server demands; null: none. */
  sealedCredential: string | null;
  /** Whether requests show the platform's client certificate. */
  hasClientCertificate: boolean;
}

/** The configuration of one merchant. */
export interface NotificationConfiguration {
  merchantId: number;
  status: 'ACTIVE' | 'SUSPENDED';
  http: HttpNotification | null;
  /** Whether the HTTP entry was written so recently that a dispatcher may still have a lease on the previous one. */
  isHttpFresh: boolean;
  recipients: Recipient[];
}

/** An entry of a merchant, never with a key. */
export interface NotificationEntry {
  type: 'HTTP' | Channel;
  /** The URL, the e-mail address, or the number. */
  value: string;
  /** Payload version; only the HTTP entry has one. */
  version?: string;
}

/** The HTTP entry first, then recipients in the order they were added, without keys (R-4.3-13, R-2.4-5). */
export function entriesOf({ http, recipients }: NotificationConfiguration): NotificationEntry[] {
  const entries: NotificationEntry[] = http ? [{ type: 'HTTP', value: http.url, version: http.version }] : [];
  return [...entries, ...recipients.map(({ type, value }) => ({ type, value }))];
}
