import { webhookHeaders, type WebhookSealer } from '../posting';
import type { RouteCache } from '../routes';
import { RequestMaker, type StoredNotification } from './recovery.ports';

/** As `PostWebhook` makes it: an initialisation vector is used once, so its bytes are others each time, and open to the same text. */
export class SealRequest extends RequestMaker {
  constructor(
    private readonly routes: Pick<RouteCache, 'current'>,
    private readonly sealer: WebhookSealer,
    private readonly userAgent: string,
  ) {
    super();
  }

  override async requestOf({ transactionId, merchantId, payload, attemptsClaimed }: StoredNotification) {
    const route = await this.routes.current(merchantId);
    if (route.url === null) return null;
    const { body, encryption } = this.sealer.bodyOf(payload, route);
    const facts = { transactionId, attempt: attemptsClaimed || 1, encryption, userAgent: this.userAgent, epochMs: Date.now() };
    return { headers: webhookHeaders(facts), body };
  }
}
