import { erasedMsisdn, parseNotification, type PortalShownNotification } from '@paycode/dto';
import type { NotificationOpener, NotificationStore, RequestMaker } from './recovery.ports';

/**
 * Flow: notification by id, of that merchant -> opened, as its server saw it -> sealed once more, as an attempt would now. Acknowledges
 * nothing: who looks at a payment in the portal does not settle it.
 */
export class ShowNotification {
  constructor(
    private readonly store: NotificationStore,
    private readonly opener: NotificationOpener,
    private readonly requests: RequestMaker,
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
