import {
  erasedMsisdn,
  inVersion,
  parseNotification,
  type PortalShownNotification,
  type RedeliveryAnswer,
  storedVersion,
} from '@paycode/dto';
import { type PayloadSealer, webhookHeaders } from '@paycode/crypto';
import type { RedeliverInformational } from '../informational/repeat-informational';
import type { WebhookSealer } from '../posting/webhook-sealer';
import type { RouteCache } from '../routes/route-cache';
import type { NotificationStore, StoredNotification } from './notification.store';

/**
 * Flow: notification by id, of that merchant -> opened, as its server saw it -> sealed once more, as an attempt would now. Acknowledges
 * nothing: who looks at a payment in the portal does not settle it.
 */
export class ShowNotification {
  constructor(
    private readonly store: NotificationStore,
    private readonly opener: PayloadSealer,
    private readonly requests: SealRequest,
  ) {}

  /** undefined: the transaction is unknown, not terminal, or of another merchant. */
  async show(transactionId: number, merchantId: number): Promise<PortalShownNotification | undefined> {
    const notification = await this.store.find(transactionId);
    if (notification?.merchantId !== merchantId) return undefined;
    const stored = this.opener.openText(notification.payload);
    const isErased = parseNotification(stored).clientMsisdn === erasedMsisdn;
    const { version, request } = await this.requests.requestOf(notification);
    return { body: inVersion(version, stored), isErased, request };
  }
}

/**
 * Makes the request of an attempt without sending it, as `PostWebhook` makes it. An initialisation vector is used once, so its bytes are others
 * each time, and open to the same text.
 */
export class SealRequest {
  constructor(
    private readonly routes: Pick<RouteCache, 'current'>,
    private readonly sealer: WebhookSealer,
    private readonly userAgent: string,
  ) {}

  /** Request null: no URL is set. @throws when route or key cannot be read now */
  async requestOf({ transactionId, merchantId, payload, attemptsClaimed, ...sent }: StoredNotification) {
    const route = await this.routes.current(merchantId);
    const version = sent.version ?? route.version ?? storedVersion;
    if (route.url === null) return { version, request: null };
    const { body, ...sealed } = this.sealer.bodyOf({ payload, version }, route);
    const facts = { transactionId, attempt: attemptsClaimed || 1, ...sealed, epochMs: Date.now() };
    return { version, request: { headers: { ...webhookHeaders(facts), 'user-agent': this.userAgent }, body } };
  }
}

/** Flow: notification by id, of that merchant -> one more attempt, now, if it moves no money: a rehearsal in the sandbox. */
export class RedeliverNotice {
  constructor(
    private readonly store: NotificationStore,
    private readonly redeliverNotice: Pick<RedeliverInformational, 'redeliver'>,
  ) {}

  /** undefined: the transaction is unknown, not terminal, or of another merchant. @throws DomainError 409 for a payment, and before its first delivery has ended */
  async repeat(transactionId: number, merchantId: number): Promise<RedeliveryAnswer | undefined> {
    const notification = await this.store.find(transactionId);
    return notification?.merchantId === merchantId ? this.redeliverNotice.redeliver(transactionId) : undefined;
  }
}
