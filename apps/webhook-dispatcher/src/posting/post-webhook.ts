import type { Route } from '@paycode/dto';
import type { Clock } from '@paycode/timing';
import type { Delivery } from '../deliveries';
import type { AckDeadlines } from './ack-deadlines';
import { PostWindow, type PostWindowRules } from './domain/post-window';
import { webhookHeaders } from './domain/webhook-headers';
import { PostAttempt, type PostUnderWay } from './post-attempt';
import type { WebhookPoster, WebhookRequest, WebhookSealer } from './posting.ports';

export interface PostOptions extends PostWindowRules {
  /** `User-Agent` of every request: product and version. */
  userAgent: string;
}

/** Flow: open the payload -> encrypt it for the route -> POST -> watch the time limits; resolves to how the attempt ended. */
export class PostWebhook {
  constructor(
    private readonly poster: WebhookPoster,
    private readonly sealer: WebhookSealer,
    private readonly deadlines: AckDeadlines,
    private readonly clock: Clock,
    private readonly options: PostOptions,
  ) {}

  /** Starts the request before it returns. The route must have a URL, its lease must be valid now (P-I11), and so must `mayPost` (P-T6). */
  start(delivery: Delivery, route: Route, mayPost: () => boolean): PostUnderWay {
    let request: WebhookRequest;
    try {
      request = this.requestFor(delivery, route);
    } catch (error) {
      // The payload or the key cannot be decrypted: a fault of the platform's settings, not of the receiver (P-T8).
      const code = (error as { code?: string }).code ?? 'SEALING';
      return { outcome: Promise.resolve({ kind: 'OUR_FAULT', code, isSent: false }), freed: Promise.resolve() };
    }
    const window = new PostWindow(this.options, this.clock.nowMs());
    return PostAttempt.start(request, window, { poster: this.poster, deadlines: this.deadlines, clock: this.clock, mayPost });
  }

  private requestFor(delivery: Delivery, route: Route): WebhookRequest {
    const { body, encryption } = this.sealer.bodyOf(delivery.payload, route);
    const { transactionId, attempt } = delivery;
    const facts = { transactionId, attempt, encryption, userAgent: this.options.userAgent, epochMs: this.clock.epochMs() };
    return { url: route.url!, body, onFreshSocket: false, headers: webhookHeaders(facts) };
  }
}
