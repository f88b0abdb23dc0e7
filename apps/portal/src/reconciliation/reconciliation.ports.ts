import type { Scope } from '../tenancy/scope';
import type { ListKey } from './domain/list-key';
import type { ListedNotification } from './domain/listed-notification';

export interface NotificationFilter {
  /** ISO 8601 UTC, part of it. */
  since: string | null;
  reference: string | null;
  code: string | null;
  after: ListKey | null;
  limit: number;
}

/** A row, and the key of the page that ends with it. */
export interface FoundNotification {
  notification: ListedNotification;
  key: ListKey;
}

/** Final transactions of one merchant, oldest first. */
export abstract class NotificationReader {
  abstract list(scope: Scope, filter: NotificationFilter): Promise<FoundNotification[]>;
}
