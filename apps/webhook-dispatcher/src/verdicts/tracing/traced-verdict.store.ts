import type { VerdictKind } from '@paycode/dto';
import { type PaymentTracing, traceAll } from '@paycode/tracing';
import type { Verdict } from '../../deliveries/domain/delivery';
import { type OwnedVerdict, VerdictStore } from '../verdict.store';

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
