import type { Decision } from '@paycode/dto';
import type { OutboxRelay } from '@paycode/events';
import { preparedQuery, scalars, texts } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import type { DecisionToRecord } from '../domain/decision';
import { type DecisionOutcome, DecisionStore } from '../reversal.ports';
import { decisionSql as sql } from './decision.sql';

/** Decisions in PostgreSQL: insert only; the primary key makes each decision write-once (P-I1). */
export class PostgresDecisionStore extends DecisionStore {
  /**
   * `relay` is woken after a commit that put events into the outbox. `traceparentOf`: the trace context that an event passes on.
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly relay: Pick<OutboxRelay, 'wake'>,
    private readonly traceparentOf?: (transactionId: number) => string | undefined,
  ) {
    super();
  }

  override async decide(items: readonly DecisionToRecord[]): Promise<DecisionOutcome[]> {
    if (items.length === 0) return [];
    const rows = await preparedQuery<{ id: string; kind: Decision }>(this.dataSource, sql.decide, [
      scalars(items.map(item => item.transactionId)),
      scalars(items.map(item => item.merchantId)),
      texts(items.map(item => item.decision)),
      texts(items.map(item => item.verdict)),
      texts(items.map(item => item.reason)),
      // PostgreSQL fills a shorter array up with nulls.
      texts(this.traceparentOf ? items.map(item => this.traceparentOf!(item.transactionId) ?? null) : []),
    ]);
    if (rows.some(row => row.kind === 'REVERSED')) this.relay.wake();
    const decidedNow = new Map(rows.map(row => [Number(row.id), row.kind]));
    // This needs a second statement: the snapshot of the first lacks a decision that another session committed while it
    // ran.
    const before = items.map(item => item.transactionId).filter(id => !decidedNow.has(id));
    const standing = before.length > 0 ? await this.find(before) : new Map<number, Decision>();
    return outcomesOf(items, new Map([...standing, ...decidedNow]), new Set(decidedNow.keys()));
  }

  override async find(transactionIds: readonly number[]): Promise<Map<number, Decision>> {
    const rows: { id: string; kind: Decision }[] = await this.dataSource.query(sql.find, [scalars(transactionIds)]);
    return new Map(rows.map(row => [Number(row.id), row.kind]));
  }
}

/** One outcome per item, in order; of several items for one transaction the first one decided it. */
function outcomesOf(
  items: readonly DecisionToRecord[],
  standing: ReadonlyMap<number, Decision>,
  decidedNow: Set<number>,
): DecisionOutcome[] {
  return items.map(({ transactionId }) => ({
    transactionId,
    decision: standing.get(transactionId)!,
    isNew: decidedNow.delete(transactionId),
  }));
}
