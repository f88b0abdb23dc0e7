import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Only renames, no row changes: a lane becomes a shard as in the scheduler, a beat a heartbeat, a block an id range. */
export class ShardsAndIdRanges1787000000000 extends ForwardMigration {
  override readonly name = 'ShardsAndIdRanges1787000000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }
}

/** [table, column of before, column of after] */
const columns = [
  ['replica', 'beat', 'heartbeat'],
  ['shard', 'lane', 'shard'],
  ['delivery', 'lane', 'shard'],
  ['notice_retry', 'lane', 'shard'],
  ['id_range', 'block', 'range'],
] as const;
const tables = [
  ['lane', 'shard'],
  ['retention_block', 'id_range'],
] as const;
const indexes = [
  ['delivery_lane_seq', 'delivery_shard_seq'],
  ['delivery_parked', 'delivery_unclaimed'],
] as const;
const sequence = ['retention_block_block_seq', 'id_range_range_seq'] as const;

/** PostgreSQL named the constraints after tables and columns. A renamed constraint renames those that inherit it. */
const renameConstraints = (from: string, to: string): string => `
  do $$ declare found record; begin
    for found in select conrelid::regclass as tab, conname as old, regexp_replace(conname, '${from}', '${to}', 'g') as new
                   from pg_constraint where connamespace = current_schema()::regnamespace and conname ~ '${from}' and coninhcount = 0
    loop execute format('alter table %s rename constraint %I to %I', found.tab, found.old, found.new); end loop;
  end $$`;

const statements = [
  ...tables.map(([before, after]) => `alter table ${before} rename to ${after}`),
  ...columns.map(([table, before, after]) => `alter table ${table} rename column ${before} to ${after}`),
  ...indexes.map(([before, after]) => `alter index ${before} rename to ${after}`),
  `alter sequence ${sequence[0]} rename to ${sequence[1]}`,
  renameConstraints('retention_block_block', 'id_range_range'),
  renameConstraints('retention_block', 'id_range'),
  renameConstraints('lane', 'shard'),
  renameConstraints('beat(?=_)', 'heartbeat'),
  `comment on table replica is 'Dispatchers alive. A heartbeat that stands still for the lease time on the clock of an observer means dead.'`,
  `comment on column shard.low_seq is 'Every delivery of the shard with a lower seq is resolved.'`,
  `comment on column delivery.epoch is 'Shard epoch under which attempt 1 was claimed by the insert itself; 0: not claimed yet.'`,
  `comment on table id_range is 'Partitions <table>_<range> of delivery, attempt and verdict. passed_at: when the ids in use left it behind.'`,
];
