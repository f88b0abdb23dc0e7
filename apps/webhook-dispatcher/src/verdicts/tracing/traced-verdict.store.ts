import type { VerdictKind } from '@paycode/dto';
import { type PaymentTracing, traceAll } from '@paycode/tracing';
import type { Verdict } from '../../deliveries';
import { type OwnedVerdict, VerdictStore } from '../verdicts.ports';

const start = { name: 'record verdict', kind: 'internal' } as const;

/** A register that records each write in the trace of the payment, with the resulting verdict. */
export class TracedVerdictStore extends VerdictStore {
  constructor(
    private readonly store: VerdictStore,
    private readonly tracing: PaymentTracing,
  ) {
    super();
  }

  override acknowledge(verdicts: readonly Verdict[]): Promise<VerdictKind[]> {
    return this.traced(verdicts, () => this.store.acknowledge(verdicts));
  }

  override conclude(replica: string, verdicts: readonly OwnedVerdict[]): Promise<(VerdictKind | null)[]> {
    return this.traced(verdicts, () => this.store.conclude(replica, verdicts));
  }

  private traced<R extends VerdictKind | null>(verdicts: readonly Verdict[], write: () => Promise<R[]>): Promise<R[]> {
    const items = verdicts.map(({ transactionId }) => ({ transactionId }));
    return traceAll(this.tracing, { ...start, items }, async (_carried, spans) => {
      const standing = await write();
      verdicts.forEach(({ transactionId }, at) => spans.end(transactionId, { outcome: standing[at] ?? 'FENCED' }));
      return standing;
    });
  }
}
