import type { DataSource, QueryRunner } from 'typeorm';
import type { Block, IdHead } from '../domain/plan-retention';
import { BlockStore } from '../retention.ports';
import { blockSql as sql } from './block.sql';

const tables = ['delivery', 'attempt', 'verdict'] as const;
/** Any constant will do: each service has its own database. */
const retentionLock = 7_240_931;
/** Longest that intake waits behind a change of partitions; the change then gives up and is tried again. */
const lockWaitMs = 500;
const triesMax = 20;
const straysPerRun = 10_000;

/** As the first migration has it: payloads stay in the row. */
const optionsOf = (table: string) => (table === 'delivery' ? 'with (toast_tuple_target = 8160)' : '');

interface BlockRow {
  block: number;
  lower: string;
  upper: string;
  passed_ago_ms: string | null;
}

/**
 * Blocks as partitions of the three tables. Nothing is read while a table is locked against intake: a new block is empty, a CHECK that was
 * validated before proves that the default partition has nothing of it, and a dropped one is detached first.
 */
export class PostgresBlockStore extends BlockStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override exclusively(work: () => Promise<void>): Promise<void> {
    return this.onOneSession(async runner => {
      const [lock] = (await runner.query('select pg_try_advisory_lock($1) as held', [retentionLock])) as { held: boolean }[];
      if (!lock?.held) return;
      try {
        await work();
      } finally {
        await runner.query('select pg_advisory_unlock($1)', [retentionLock]);
      }
    });
  }

  override async blocks(): Promise<Block[]> {
    const rows = await this.dataSource.query<BlockRow[]>(sql.blocks);
    return rows.map(row => ({
      block: row.block,
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
    const [row] = await this.dataSource.query<{ block: number }[]>(
      'insert into retention_block (lower, upper) values ($1, $2) returning block',
      [lower, upper],
    );
    const block = row!.block;
    try {
      for (const table of tables) await this.attach({ table, block, lower, upper });
      return true;
    } catch (error) {
      // 23514: ids of the range are in use; the next run chooses a higher one. Whatever the reason, nothing half-made stays.
      await this.detachAll(block);
      if ((error as { code?: string }).code === '23514') return false;
      throw error;
    }
  }

  override async markPassed(blocks: readonly number[]): Promise<void> {
    await this.dataSource.query(sql.markPassed, [blocks]);
  }

  override async drop(block: number): Promise<boolean> {
    const open = await this.dataSource.query<unknown[]>(sql.openRows(block));
    if (open.length > 0) return false;
    await this.detachAll(block);
    return true;
  }

  override async deleteStrays(olderThanMs: number): Promise<number> {
    const [row] = await this.dataSource.query<{ count: number }[]>(sql.deleteStrays, [olderThanMs, straysPerRun]);
    return row!.count;
  }

  private async attach({
    table,
    block,
    lower,
    upper,
  }: {
    table: string;
    block: number;
    lower: number;
    upper: number;
  }): Promise<void> {
    const range = `transaction_id >= ${lower} and transaction_id < ${upper}`;
    await this.underShortLocks(`alter table ${table}_default add constraint keeps_out_${block} check (not (${range})) not valid`);
    await this.onOneSession(async runner => {
      // Reads the table while intake goes on; a long table may take longer than an ordinary statement.
      await runner.query('set statement_timeout = 0');
      await runner.query(`alter table ${table}_default validate constraint keeps_out_${block}`);
      await runner.query('reset statement_timeout');
    });
    await this.dataSource.query(
      `create table ${table}_${block} (like ${table} including defaults including constraints including storage) ${optionsOf(table)}`,
    );
    await this.underShortLocks(
      `alter table ${table} attach partition ${table}_${block} for values from (${lower}) to (${upper})`,
      `alter table ${table}_default drop constraint keeps_out_${block}`,
    );
  }

  private async detachAll(block: number): Promise<void> {
    for (const table of tables) {
      const [found] = await this.dataSource.query<{ attached: boolean | null }[]>(sql.isAttached, [`${table}_${block}`]);
      if (found?.attached) await this.underShortLocks(`alter table ${table} detach partition ${table}_${block}`);
      await this.underShortLocks(`alter table ${table}_default drop constraint if exists keeps_out_${block}`);
      // No table has this partition any more, so dropping it locks nothing that is in use.
      await this.dataSource.query(`drop table if exists ${table}_${block}`);
    }
    await this.dataSource.query('delete from retention_block where block = $1', [block]);
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
