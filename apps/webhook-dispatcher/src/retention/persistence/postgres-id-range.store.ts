import type { DataSource, QueryRunner } from 'typeorm';
import type { IdRange, IdHead } from '../domain/plan-retention';
import { IdRangeStore } from '../retention.ports';
import { type Bounds, idRangeSql as sql, type Partition } from './id-range.sql';

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
export class PostgresIdRangeStore extends IdRangeStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override exclusively(work: () => Promise<void>): Promise<void> {
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

  override async ranges(): Promise<IdRange[]> {
    const rows = await this.dataSource.query<IdRangeRow[]>(sql.ranges);
    return rows.map(row => ({
      range: row.range,
      lower: Number(row.lower),
      upper: Number(row.upper),
      passedAgoMs: row.passed_ago_ms === null ? null : Number(row.passed_ago_ms),
    }));
  }

  override async head(): Promise<IdHead | undefined> {
    const [row] = await this.dataSource.query<{ high: string | null; per_day: string | null }[]>(sql.head);
    const [high, idsPerDay] = [Number(row?.high ?? 0), Math.ceil(Number(row?.per_day ?? 0))];
    return high > 0 && idsPerDay > 0 ? { high, idsPerDay } : undefined;
  }

  override async open({ lower, upper }: { lower: number; upper: number }): Promise<boolean> {
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

  override async markPassed(ranges: readonly number[]): Promise<void> {
    await this.dataSource.query(sql.markPassed, [ranges]);
  }

  override async drop(range: number): Promise<boolean> {
    const open = await this.dataSource.query<unknown[]>(sql.openRows(range));
    if (open.length > 0) return false;
    await this.detachAll(range);
    return true;
  }

  override async deleteStrays(olderThanMs: number): Promise<number> {
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
