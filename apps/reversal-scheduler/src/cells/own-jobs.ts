import { type CellJobs, topics } from '@paycode/dto';
import type { EventTransport } from '@paycode/events';
import type { DataSource } from 'typeorm';

/** Consumer group of the audit of TransactionTerminal. */
export const auditGroup = 'reversal-scheduler-audit';

// Shard p is one of partition p % partitions. No job that is due before the mark of its shard is open, unless the clock was set back behind it.
const openSql = `
  select distinct s.shard % $1::int as partition from shard s
   where exists (
     select from job j
      where j.shard = s.shard and j.due_at > least(s.low_due_at, statement_timestamp() - interval '2 minutes')
        and not exists (select from decision d where d.transaction_id = j.transaction_id))`;

/** The work that the scheduler of this cell has still to do, for `paycode cells show`. */
export class OwnJobs {
  constructor(
    /** null: the platform is one cell. */
    private readonly cell: string | null,
    private readonly dataSource: DataSource,
    private readonly transport: Pick<EventTransport, 'committed'>,
  ) {}

  /** The audit is read first: its jobs are in the database before it commits. */
  async show(): Promise<CellJobs> {
    const audited = await this.transport.committed(topics.transactionTerminal, auditGroup);
    const rows = await this.dataSource.query<{ partition: number }[]>(openSql, [audited.length]);
    const open = new Set(rows.map(({ partition }) => partition));
    return { cell: this.cell, partitions: audited.map((auditedTo, at) => ({ auditedTo, hasOpen: open.has(at) })) };
  }
}
