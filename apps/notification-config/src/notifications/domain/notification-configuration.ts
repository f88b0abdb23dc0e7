import type { Recipient } from './recipient';

export interface HttpNotification {
  url: string;
  version: string;
  keyId: string;
  sealedKey: string;
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

/** An entry as `list` shows it: never a key (R-2.4-5). */
export type NotificationEntry = { type: 'HTTP'; value: string; version: string } | Recipient;

/** The HTTP entry first, then recipients in the order they were added (R-4.3-13). */
export function entriesOf({ http, recipients }: NotificationConfiguration): NotificationEntry[] {
  const entries: NotificationEntry[] = http ? [{ type: 'HTTP', value: http.url, version: http.version }] : [];
  return [...entries, ...recipients.map(({ type, value }) => ({ type, value }))];
}
