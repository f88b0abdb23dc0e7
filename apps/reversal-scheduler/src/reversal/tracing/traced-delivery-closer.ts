import type { CloseAnswer, CloseItem } from '@paycode/dto';
import { type PaymentTracing, traceAll } from '@paycode/tracing';
import { DeliveryCloser } from '../reversal.ports';

/** Records each call of close, with its answer, in the trace of the payment. */
export class TracedDeliveryCloser extends DeliveryCloser {
  constructor(
    private readonly closer: DeliveryCloser,
    private readonly tracing: PaymentTracing,
  ) {
    super();
  }

  override close(items: readonly CloseItem[]): Promise<CloseAnswer[]> {
    return traceAll(this.tracing, { items, name: 'close', kind: 'client' }, async (_carried, spans) => {
      const answers = await this.closer.close(items);
      for (const { transactionId, verdict } of answers) spans.end(transactionId, { outcome: verdict });
      return answers;
    });
  }
}
