import type { PaymentTracing } from '@paycode/tracing';
import { type PostObserver, WebhookPoster, type WebhookRequest } from '../post-webhook';

/**
 * A poster that records each request in the trace of the payment. It does not change the request: a receiver gets no trace id, because
 * the id is of no use to it and would reveal internals (T-11).
 */
export class TracedWebhookPoster extends WebhookPoster {
  constructor(
    private readonly poster: WebhookPoster,
    private readonly tracing: PaymentTracing,
  ) {
    super();
  }

  override post(request: WebhookRequest, observer: PostObserver & { done(): void }): { abort(): void } {
    const { 'x-webhook-transaction-id': id, 'x-webhook-attempt': attempt } = request.headers;
    const facts = { attempt: Number(attempt) };
    const span = this.tracing.start(Number(id), { name: 'POST webhook', kind: 'client', facts });
    if (!span) return this.poster.post(request, observer);
    const underWay = this.poster.post(request, {
      sent: () => observer.sent(),
      answered: httpStatus => {
        span.end({ httpStatus });
        observer.answered(httpStatus);
      },
      failed: fault => {
        span.end({ errorCode: fault.code });
        observer.failed(fault);
      },
      done: () => observer.done(),
    });
    return {
      abort: () => {
        span.end({ errorCode: 'TIMEOUT' });
        underWay.abort();
      },
    };
  }
}
