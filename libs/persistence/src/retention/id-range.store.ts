import type { DataSource, QueryRunner } from 'typeorm';
import { withConnection } from '../with-connection';
import type { IdHead, IdRange } from './plan-retention';

/** The tables of a service, each partitioned by transaction_id with a default partition, as retention handles them; their database has `shard` and `id_range`. */
export interface RangedTables {
  /** In the order in which they are attached and dropped. */
  tables: readonly [string, ...string[]];
  /** Options of a new partition. */
  storageOf(table: string): string;
  /** (transaction_id, at) of a shard `s`, latest first. */
  recent: string;
  /** Rows of a range that must not be dropped. */
  open(range: number): string;
  /** Deletes rows of the default partitions that may go and are older than $1 ms, about $2 of them; returns their `count`. */
  deleteStrays: string;
}

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
  head: (recent: string) => `
    select percentile_disc(0.98) within group (order by transaction_id) as high,
           (percentile_disc(0.98) within group (order by transaction_id) - percentile_disc(0.02) within group (order by transaction_id))
             / nullif(extract(epoch from percentile_disc(0.98) within group (order by at)
                                       - percentile_disc(0.02) within group (order by at)), 0) * 86400 as per_day
      from shard s
     cross join lateral (${recent} limit 16) r
    having count(*) >= 100`,

  markPassed: 'update id_range set passed_at = clock_timestamp() where range = any($1) and passed_at is null',

  isAttached: 'select relispartition as attached from pg_class where oid = to_regclass($1)',

  anyRow: (partition: string) => `select 1 from ${partition} limit 1`,

  tryLock: 'select pg_try_advisory_lock($1) as held',
  unlock: 'select pg_advisory_unlock($1)',

  insert: 'insert into id_range (lower, upper) values ($1, $2) returning range',
  remove: 'delete from id_range where range = $1',

  keepOut: ({ table, range, ...bounds }: Partition & Bounds) =>
    `alter table ${table}_default add constraint keeps_out_${range} check (not (${within(bounds)})) not valid`,
  validate: ({ table, range }: Partition) => `alter table ${table}_default validate constraint keeps_out_${range}`,
  dropCheck: ({ table, range }: Partition) => `alter table ${table}_default drop constraint keeps_out_${range}`,
  dropCheckIfThere: ({ table, range }: Partition) => `alter table ${table}_default drop constraint if exists keeps_out_${range}`,
  create: ({ table, range }: Partition, storage: string) =>
    `create table ${table}_${range} (like ${table} including defaults including constraints including storage) ${storage}`,
  attach: ({ table, range, lower, upper }: Partition & Bounds) =>
    `alter table ${table} attach partition ${table}_${range} for values from (${lower}) to (${upper})`,
  detach: ({ table, range }: Partition) => `alter table ${table} detach partition ${table}_${range}`,
  drop: ({ table, range }: Partition) => `drop table if exists ${table}_${range}`,
} as const;

/** An arbitrary constant; each service has its own database. */
const retentionLock = 7_240_931;
/** Intake waits at most this long for a change of partitions; then the change is cancelled and tried again. */
const lockWaitMs = 500;
const triesMax = 20;
/** How long the answer of a statement that reads a whole partition may take: a day, which no table needs. */
const readMsMax = 86_400_000;
/** Rows that one statement deletes, so that locks and transactions stay short, and statements of one run. */
const strayBatch = 10_000;
const strayBatchesMax = 50;

interface IdRangeRow {
  range: number;
  lower: string;
  upper: string;
  passed_ago_ms: string | null;
}

/**
 * Id ranges as partitions of a service's tables. PostgreSQL reads no rows while a table is locked against intake: a new range is empty, a
 * CHECK that was validated before proves that the default partition has no row of it, and a range is detached before it is dropped.
 */
export class IdRangeStore {
  /** Session of a statement that reads a whole table. */
  private reading: number | undefined;
  private isEnding = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly ranged: RangedTables,
  ) {}

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
    const [row] = await this.dataSource.query<{ high: string | null; per_day: string | null }[]>(sql.head(this.ranged.recent));
    const [high, idsPerDay] = [Number(row?.high ?? 0), Math.ceil(Number(row?.per_day ?? 0))];
    return high > 0 && idsPerDay > 0 ? { high, idsPerDay } : undefined;
  }

  /** False when ids of the range are in use already. */
  async open({ lower, upper }: { lower: number; upper: number }): Promise<boolean> {
    const [row] = await this.dataSource.query<{ range: number }[]>(sql.insert, [lower, upper]);
    const range = row!.range;
    try {
      for (const table of this.ranged.tables) await this.attach({ table, range, lower, upper });
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

  /**
   * Ends what a replica left half-done when it died. A constraint that keeps ids out of a default partition without a partition that takes
   * them would refuse every row of the range.
   */
  async repair(range: number): Promise<void> {
    const attached = await this.attachedOf(range);
    if (attached.length === this.ranged.tables.length) return;
    for (const table of this.ranged.tables) await this.underShortLocks(sql.dropCheckIfThere({ table, range }));
    for (const table of attached)
      if ((await this.dataSource.query<unknown[]>(sql.anyRow(`${table}_${range}`))).length > 0) return;
    await this.detachAll(range);
  }

  /** False when something in the range is open. */
  async drop(range: number): Promise<boolean> {
    // Without its first partition, an earlier run has begun to drop it.
    const [first] = this.ranged.tables;
    if ((await this.attachedOf(range)).includes(first) && (await this.hasOpenRow(range))) return false;
    await this.detachAll(range);
    return true;
  }

  /** Deletes rows outside every range that are older than this, up to a bound; returns how many. */
  async deleteStrays(olderThanMs: number): Promise<number> {
    let total = 0;
    for (let batch = 0; batch < strayBatchesMax; batch++) {
      const [row] = await this.dataSource.query<{ count: number }[]>(this.ranged.deleteStrays, [olderThanMs, strayBatch]);
      total += row!.count;
      if (row!.count === 0) break;
    }
    return total;
  }

  /** Ends a statement that reads a whole table, and lets none begin: the service stops. The next run, of whatever replica, repeats it. */
  async end(): Promise<void> {
    this.isEnding = true;
    if (this.reading !== undefined) await this.dataSource.query('select pg_cancel_backend($1)', [this.reading]);
  }

  private async hasOpenRow(range: number): Promise<boolean> {
    return (await this.unlimited(`${this.ranged.open(range)} limit 1`)).length > 0;
  }

  private async attachedOf(range: number): Promise<string[]> {
    const attached: string[] = [];
    for (const table of this.ranged.tables) {
      const [found] = await this.dataSource.query<{ attached: boolean | null }[]>(sql.isAttached, [`${table}_${range}`]);
      if (found?.attached) attached.push(table);
    }
    return attached;
  }

  private async attach(partition: Partition & Bounds): Promise<void> {
    await this.underShortLocks(sql.keepOut(partition));
    await this.unlimited(sql.validate(partition));
    await this.dataSource.query(sql.create(partition, this.ranged.storageOf(partition.table)));
    await this.underShortLocks(sql.attach(partition), sql.dropCheck(partition));
  }

  private async detachAll(range: number): Promise<void> {
    const attached = await this.attachedOf(range);
    for (const table of this.ranged.tables) {
      if (attached.includes(table)) await this.underShortLocks(sql.detach({ table, range }));
      await this.underShortLocks(sql.dropCheckIfThere({ table, range }));
      // The partition is detached, so dropping it locks no table that is in use.
      await this.dataSource.query(sql.drop({ table, range }));
    }
    await this.dataSource.query(sql.remove, [range]);
  }

  /** Reads a table while intake continues; a large table may take longer than the usual limits of a statement. */
  private unlimited(statement: string): Promise<unknown[]> {
    const query = { text: statement, query_timeout: readMsMax };
    return withConnection(this.dataSource, async connection => {
      const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
      await connection.query('set statement_timeout = 0');
      if (this.isEnding) throw new Error('the service stops');
      this.reading = rows[0]!.pid;
      try {
        return (await connection.query<object>(query)).rows;
      } finally {
        this.reading = undefined;
        // A cancelled statement has ended the connection; its error is the one to show.
        await connection.query('reset statement_timeout').catch(() => undefined);
      }
    });
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

  private async onOneSession<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.connect();
      return await work(runner);
    } finally {
      await runner.release();
    }
  }
}
