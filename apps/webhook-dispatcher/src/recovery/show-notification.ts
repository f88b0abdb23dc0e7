import { erasedMsisdn, parseNotification, type PortalShownNotification, type RedeliveryAnswer } from '@paycode/dto';
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
    const body = this.opener.openText(notification.payload);
    const isErased = parseNotification(body).clientMsisdn === erasedMsisdn;
    return { body, isErased, request: await this.requests.requestOf(notification) };
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

  /** null: no URL is set. @throws when route or key cannot be read now */
  async requestOf({ transactionId, merchantId, payload, attemptsClaimed }: StoredNotification) {
    const route = await this.routes.current(merchantId);
    if (route.url === null) return null;
    const { body, encryption } = this.sealer.bodyOf(payload, route);
    const facts = { transactionId, attempt: attemptsClaimed || 1, encryption, epochMs: Date.now() };
    return { headers: { ...webhookHeaders(facts), 'user-agent': this.userAgent }, body };
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
