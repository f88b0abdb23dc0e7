import type { ArmItem, Decision, SettleItem, VerdictKind } from '@paycode/dto';
import { type PaymentTracing, traceAll } from '@paycode/service-runtime/tracing';
import { ReversalScheduler } from '../arming/reversal-scheduler.client';
import type { Connection, Verdict } from '../deliveries/domain/delivery';
import {
  type Connecting,
  type ConnectObserver,
  type PostObserver,
  WebhookPoster,
  type WebhookRequest,
} from '../posting/post-webhook';
import type { OwnLine } from '../routes/route-cache';
import { type OwnedVerdict, VerdictStore } from '../verdicts/verdict.store';

/** A scheduler client that records each call in the trace of the payment and passes the trace on to the scheduler. */
export class TracedReversalScheduler extends ReversalScheduler {
  constructor(
    private readonly scheduler: ReversalScheduler,
    private readonly tracing: PaymentTracing,
  ) {
    super();
  }

  override arm(items: readonly ArmItem[]): Promise<Map<number, Decision | null>> {
    return traceAll(this.tracing, { items, name: 'arm', kind: 'client' }, carried => this.scheduler.arm(carried));
  }

  override settle(items: readonly SettleItem[]): Promise<void> {
    return traceAll(this.tracing, { items, name: 'settle', kind: 'client' }, carried => this.scheduler.settle(carried));
  }
}

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

  override take(url: string, own?: OwnLine): Connection | undefined {
    return this.poster.take(url, own);
  }

  override connect(url: string, observer: ConnectObserver, own?: OwnLine): Connecting {
    return this.poster.connect(url, observer, own);
  }

  override post(request: WebhookRequest, observer: PostObserver & { done(): void }, connection?: Connection): { abort(): void } {
    const { 'x-webhook-transaction-id': id, 'x-webhook-attempt': attempt } = request.headers;
    const facts = { attempt: Number(attempt) };
    const span = this.tracing.start(Number(id), { name: 'POST webhook', kind: 'client', facts });
    if (!span) return this.poster.post(request, observer, connection);
    const traced: typeof observer = {
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
    };
    const underWay = this.poster.post(request, traced, connection);
    return {
      abort: () => {
        span.end({ errorCode: 'TIMEOUT' });
        underWay.abort();
      },
    };
  }
}

const start = { name: 'record verdict', kind: 'internal' } as const;

/** A register that records each write in the trace of the payment, with the resulting verdict. */
export class TracedVerdictStore extends VerdictStore {
  constructor(
    private readonly store: VerdictStore,
    private readonly tracing: PaymentTracing,
  ) {
    super();
  }

  override acknowledge(verdicts: readonly Verdict[]): Promise<(VerdictKind | null)[]> {
    return this.traced(verdicts, 'REVERSED_BY_CORE', () => this.store.acknowledge(verdicts));
  }

  override conclude(replica: string, verdicts: readonly OwnedVerdict[]): Promise<(VerdictKind | null)[]> {
    return this.traced(verdicts, 'FENCED', () => this.store.conclude(replica, verdicts));
  }

  private traced(
    verdicts: readonly Verdict[],
    refused: 'FENCED' | 'REVERSED_BY_CORE',
    write: () => Promise<(VerdictKind | null)[]>,
  ): Promise<(VerdictKind | null)[]> {
    const items = verdicts.map(({ transactionId }) => ({ transactionId }));
    return traceAll(this.tracing, { ...start, items }, async (_carried, spans) => {
      const standing = await write();
      verdicts.forEach(({ transactionId }, at) => spans.end(transactionId, { outcome: standing[at] ?? refused }));
      return standing;
    });
  }
}
