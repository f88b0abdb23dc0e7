import type { AckReceived, VerdictKind } from '@paycode/dto';
import { type OwnedVerdict, VerdictStore } from '../../../apps/webhook-dispatcher/src/deliveries/deliveries.ports';
import type { Verdict } from '../../../apps/webhook-dispatcher/src/deliveries/domain/delivery';
import type { DispatcherTables, VerdictTableRow } from './dispatcher-tables.ts';
import type { StatementExecutor } from './statement-executor.ts';

/** The write-once register, statement by statement as `PostgresVerdictStore` has it. */
export class MemoryVerdictStore extends VerdictStore {
  constructor(
    protected readonly tables: DispatcherTables,
    protected readonly execute: StatementExecutor,
  ) {
    super();
  }

  override async acknowledge(all: readonly Verdict[]): Promise<VerdictKind[]> {
    const written = await this.execute(() => {
      const ids = new Map<number, VerdictKind>();
      for (const verdict of all) if (this.writeAck(verdict)) ids.set(verdict.transactionId, verdict.kind);
      return ids;
    });
    const standing = await this.standing(all, new Set(written.keys()));
    return all.map(({ transactionId }) => written.get(transactionId) ?? standing.get(transactionId)!);
  }

  override async conclude(replica: string, verdicts: readonly OwnedVerdict[]): Promise<(VerdictKind | null)[]> {
    const written = await this.execute(() => {
      const mine = verdicts.filter(verdict => this.mayConclude(replica, verdict));
      return new Set(mine.filter(verdict => this.writeConclusion(verdict)).map(({ transactionId }) => transactionId));
    });
    const standing = await this.standing(verdicts, written);
    return verdicts.map(({ transactionId, kind }) => (written.has(transactionId) ? kind : (standing.get(transactionId) ?? null)));
  }

  /** The fence: only the owner of the lane at that epoch. */
  protected mayConclude(replica: string, verdict: OwnedVerdict): boolean {
    return this.tables.holds(replica, verdict);
  }

  protected write(transactionId: number, row: VerdictTableRow): boolean {
    return this.tables.insertVerdict(transactionId, row);
  }

  protected writeAck(verdict: Verdict): boolean {
    if (!this.write(verdict.transactionId, rowOf(verdict))) return false;
    this.tables.addAck(verdict.transactionId, ackOf(verdict, new Date(this.tables.nowMs()).toISOString()));
    return true;
  }

  protected writeConclusion(verdict: OwnedVerdict): boolean {
    const { transactionId, lane, attempt, retryAfterMs } = verdict;
    if (!this.write(transactionId, rowOf(verdict))) return false;
    if (retryAfterMs !== null && !this.tables.notices.has(transactionId))
      this.tables.notices.set(transactionId, { lane, attempt: (attempt ?? 0) + 1, dueAtMs: this.tables.nowMs() + retryAfterMs });
    return true;
  }

  private async standing(verdicts: readonly Verdict[], written: ReadonlySet<number>): Promise<Map<number, VerdictKind>> {
    const refused = verdicts.map(({ transactionId }) => transactionId).filter(id => !written.has(id));
    if (refused.length === 0) return new Map();
    return this.execute(() => {
      const found = refused.flatMap(id => {
        const row = this.tables.verdicts.get(id);
        return row ? [[id, row.kind] as const] : [];
      });
      return new Map(found);
    });
  }
}

function rowOf({ kind, attempt, startedAt }: Verdict): VerdictTableRow {
  return { kind, attempt, startedAtMs: startedAt?.getTime() ?? null };
}

function ackOf(verdict: Verdict, acknowledgedAt: string): AckReceived {
  return {
    transactionId: verdict.transactionId,
    merchantId: verdict.merchantId,
    source: verdict.kind === 'ACKED_PULL' ? 'RECOVERY' : 'WEBHOOK',
    attempt: verdict.attempt ?? 0,
    elapsedMs: verdict.elapsedMs === null ? null : Math.round(verdict.elapsedMs),
    acknowledgedAt,
  };
}
