import { topics } from '@paycode/dto';
import type { EventTransport } from '@paycode/events';
import type { DataSource } from 'typeorm';
import type { OwnIntake } from './former-cells';

const intakeSql = {
  // A dead letter names its payment by its key alone, which is stored as base64; there are 10,000 letters at most.
  taken: `
    select transaction_id::float8 as id from delivery where transaction_id = any($1::bigint[])
    union
    select asked.id::float8 from unnest($1::bigint[]) as asked (id)
      join (select convert_from(record, 'UTF8')::json->>'key' as key from dead_letter where topic = $2 and group_name = $3) letter
        on letter.key = encode(convert_to(asked.id::text, 'UTF8'), 'base64')`,

  // In `escape`, any bytes are a text.
  highest: `
    select coalesce(greatest((select max(transaction_id) from delivery),
             (select max(case when key ~ '^[1-9][0-9]{0,15}$' then key::bigint end)
                from (select encode(decode(convert_from(record, 'UTF8')::json->>'key', 'base64'), 'escape') as key
                        from dead_letter where topic = $1 and group_name = $2) letter)), 0)::float8 as id`,

  // Shard p is one of partition p % partitions. A delivery below the low-water mark of its shard is concluded.
  open: `
    select s.shard % $1::int as partition, bool_or(exists (
             select from delivery d
              where d.shard = s.shard and d.seq >= s.low_seq and not d.stub
                and not exists (select from verdict v where v.transaction_id = d.transaction_id))) as open
      from shard s group by 1 order by 1`,
} as const;

/** The intake of this cell, as its database and the log know it. */
export class PostgresOwnIntake implements OwnIntake {
  /** By partition. It only grows: a group is set back while its service is stopped. */
  private known: (number | null)[] = [];
  private asking?: Promise<(number | null)[]>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly transport: Pick<EventTransport, 'committed' | 'endOf'>,
    private readonly group: string,
  ) {}

  async committed(partition: number, enough = Infinity): Promise<number | null> {
    if ((this.known[partition] ?? -1) < enough) this.known = await this.committedByPartition();
    return this.known[partition]!;
  }

  /** Calls share an answer that is on its way: an older one says less, never too much. */
  committedByPartition(): Promise<(number | null)[]> {
    this.asking ??= this.transport.committed(topics.transactionTerminal, this.group).finally(() => (this.asking = undefined));
    return this.asking;
  }

  endOfLog(partition: number): Promise<number> {
    return this.transport.endOf(topics.transactionTerminal, partition);
  }

  async taken(transactionIds: readonly number[]): Promise<number[]> {
    const values = [transactionIds, topics.transactionTerminal, this.group];
    return (await this.dataSource.query<{ id: number }[]>(intakeSql.taken, values)).map(({ id }) => id);
  }

  async highest(): Promise<number> {
    const values = [topics.transactionTerminal, this.group];
    return (await this.dataSource.query<{ id: number }[]>(intakeSql.highest, values))[0]!.id;
  }

  /** By partition, whether a delivery has no verdict yet. */
  async hasOpen(partitionCount: number): Promise<boolean[]> {
    return (await this.dataSource.query<{ open: boolean }[]>(intakeSql.open, [partitionCount])).map(({ open }) => open);
  }
}
