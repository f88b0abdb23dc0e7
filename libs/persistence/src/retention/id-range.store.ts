import type { DataSource, QueryRunner } from 'typeorm';
import type { IdHead, IdRange } from '../deliveries/domain/plan-retention';

/** The same option as in the first migration: payloads stay in the row. */
const optionsOf = (table: string) => (table === 'delivery' ? 'with (toast_tuple_target = 8160)' : '');

/** Partition `<table>_<range>`. Names and numbers come from the code and stand in the text, because these statements take no parameters. */
interface Partition {
  table: string;
  range: number;
}

/** Ids from `lower` up to before `upper`. */
interface Bounds {
  lower: number;
  upper: number;
}

const within = ({ lower, upper }: Bounds) => `transaction_id >= ${lower} and transaction_id < ${upper}`;

/** Statements of the id ranges. */
const sql = {
  ranges: `select range, lower, upper, extract(epoch from clock_timestamp() - passed_at) * 1000 as passed_ago_ms from id_range order by range`,

  // Reads the last rows of every shard. Takes nearly the highest id, not the highest: a single wrong id must not move the ranges away
  // from the sequence.
  head: `
    select percentile_disc(0.98) within group (order by transaction_id) as high,
           (percentile_disc(0.98) within group (order by transaction_id) - percentile_disc(0.02) within group (order by transaction_id))
             / nullif(extract(epoch from percentile_disc(0.98) within group (order by received_at)
                                       - percentile_disc(0.02) within group (order by received_at)), 0) * 86400 as per_day
      from shard l
     cross join lateral (
       select transaction_id, received_at from delivery d where d.shard = l.shard and not d.stub order by d.seq desc limit 16) r
    having count(*) >= 100`,

  markPassed: 'update id_range set passed_at = clock_timestamp() where range = any($1) and passed_at is null',

  openRows: (range: number) => `
    select 1 from delivery_${range} d
     where not exists (select from verdict v where v.transaction_id = d.transaction_id)
        or exists (select from notice_retry n where n.transaction_id = d.transaction_id)
     limit 1`,

  isAttached: 'select relispartition as attached from pg_class where oid = to_regclass($1)',

  // Deletes rows outside every range in small portions. There are few, unless ids do not grow with time.
  deleteStrays: `
    with old as (
      select d.transaction_id from delivery_default d join verdict v using (transaction_id)
       where d.received_at < clock_timestamp() - $1 * interval '1 millisecond'
         and not exists (select from notice_retry n where n.transaction_id = d.transaction_id)
       limit $2),
    attempts as (delete from attempt where transaction_id in (select transaction_id from old)),
    verdicts as (delete from verdict where transaction_id in (select transaction_id from old)),
    gone as (delete from delivery_default where transaction_id in (select transaction_id from old) returning 1)
    select count(*)::int as count from gone`,

  tryLock: 'select pg_try_advisory_lock($1) as held',
  unlock: 'select pg_advisory_unlock($1)',

  insert: 'insert into id_range (lower, upper) values ($1, $2) returning range',
  remove: 'delete from id_range where range = $1',

  keepOut: ({ table, range, ...bounds }: Partition & Bounds) =>
    `alter table ${table}_default add constraint keeps_out_${range} check (not (${within(bounds)})) not valid`,
  validate: ({ table, range }: Partition) => `alter table ${table}_default validate constraint keeps_out_${range}`,
  dropCheck: ({ table, range }: Partition) => `alter table ${table}_default drop constraint keeps_out_${range}`,
  dropCheckIfThere: ({ table, range }: Partition) => `alter table ${table}_default drop constraint if exists keeps_out_${range}`,
  create: ({ table, range }: Partition) =>
    `create table ${table}_${range} (like ${table} including defaults including constraints including storage) ${optionsOf(table)}`,
  attach: ({ table, range, lower, upper }: Partition & Bounds) =>
    `alter table ${table} attach partition ${table}_${range} for values from (${lower}) to (${upper})`,
  detach: ({ table, range }: Partition) => `alter table ${table} detach partition ${table}_${range}`,
  drop: ({ table, range }: Partition) => `drop table if exists ${table}_${range}`,
} as const;

const tables = ['delivery', 'attempt', 'verdict'] as const;
/** An arbitrary constant; each service has its own database. */
const retentionLock = 7_240_931;
/** Intake waits at most this long for a change of partitions; then the change is cancelled and tried again. */
const lockWaitMs = 500;
const triesMax = 20;
const straysPerRun = 10_000;

interface IdRangeRow {
  range: number;
  lower: string;
  upper: string;
  passed_ago_ms: string | null;
}

/**
 * Id ranges as partitions of the three tables. PostgreSQL reads no rows while a table is locked against intake: a new range is empty, a
 * CHECK that was validated before proves that the default partition has no row of it, and a range is detached before it is dropped.
 */
export class IdRangeStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Runs `work` unless another replica runs it now. */
  exclusively(work: () => Promise<void>): Promise<void> {
    return this.onOneSession(async runner => {
      const [lock] = (await runner.query(sql.tryLock, [retentionLock])) as { held: boolean }[];
      if (!lock?.held) return;
      try {
        await work();
      } finally {
        await runner.query(sql.unlock, [retentionLock]);
      }
    });
  }

  async ranges(): Promise<IdRange[]> {
    const rows = await this.dataSource.query<IdRangeRow[]>(sql.ranges);
    return rows.map(row => ({
      range: row.range,
      lower: Number(row.lower),
      upper: Number(row.upper),
      passedAgoMs: row.passed_ago_ms === null ? null : Number(row.passed_ago_ms),
    }));
  }

  /** undefined while there are too few rows to tell. */
  async head(): Promise<IdHead | undefined> {
    const [row] = await this.dataSource.query<{ high: string | null; per_day: string | null }[]>(sql.head);
    const [high, idsPerDay] = [Number(row?.high ?? 0), Math.ceil(Number(row?.per_day ?? 0))];
    return high > 0 && idsPerDay > 0 ? { high, idsPerDay } : undefined;
  }

  /** False when ids of the range are in use already. */
  async open({ lower, upper }: { lower: number; upper: number }): Promise<boolean> {
    const [row] = await this.dataSource.query<{ range: number }[]>(sql.insert, [lower, upper]);
    const range = row!.range;
    try {
      for (const table of tables) await this.attach({ table, range, lower, upper });
      return true;
    } catch (error) {
      // 23514: ids of the range are in use; the next run chooses a higher range. After any error, partitions that were
      // already attached are removed.
      await this.detachAll(range);
      if ((error as { code?: string }).code === '23514') return false;
      throw error;
    }
  }

  async markPassed(ranges: readonly number[]): Promise<void> {
    await this.dataSource.query(sql.markPassed, [ranges]);
  }

  /** False when something in the range is not concluded. */
  async drop(range: number): Promise<boolean> {
    const open = await this.dataSource.query<unknown[]>(sql.openRows(range));
    if (open.length > 0) return false;
    await this.detachAll(range);
    return true;
  }

  /** Deletes concluded rows outside every range that are older than this, up to a bound; returns how many deliveries it deleted. */
  async deleteStrays(olderThanMs: number): Promise<number> {
    const [row] = await this.dataSource.query<{ count: number }[]>(sql.deleteStrays, [olderThanMs, straysPerRun]);
    return row!.count;
  }

  private async attach(partition: Partition & Bounds): Promise<void> {
    await this.underShortLocks(sql.keepOut(partition));
    await this.onOneSession(async runner => {
      // Reads the table while intake continues; a large table may take longer than the usual limit of a statement.
      await runner.query('set statement_timeout = 0');
      await runner.query(sql.validate(partition));
      await runner.query('reset statement_timeout');
    });
    await this.dataSource.query(sql.create(partition));
    await this.underShortLocks(sql.attach(partition), sql.dropCheck(partition));
  }

  private async detachAll(range: number): Promise<void> {
    for (const table of tables) {
      const [found] = await this.dataSource.query<{ attached: boolean | null }[]>(sql.isAttached, [`${table}_${range}`]);
      if (found?.attached) await this.underShortLocks(sql.detach({ table, range }));
      await this.underShortLocks(sql.dropCheckIfThere({ table, range }));
      // The partition is detached, so dropping it locks no table that is in use.
      await this.dataSource.query(sql.drop({ table, range }));
    }
    await this.dataSource.query(sql.remove, [range]);
  }

  private async underShortLocks(...statements: string[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.dataSource.transaction(async tx => {
          await tx.query(`set local lock_timeout = ${lockWaitMs}`);
          for (const statement of statements) await tx.query(statement);
        });
      } catch (error) {
        if ((error as { code?: string }).code !== '55P03' || tries >= triesMax) throw error;
      }
    }
  }

  private async onOneSession(work: (runner: QueryRunner) => Promise<void>): Promise<void> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.connect();
      await work(runner);
    } finally {
      await runner.release();
    }
  }
}
