import type { DataSource, QueryRunner } from 'typeorm';
import { ForwardMigration } from '@paycode/persistence';

/** The two tables that every service has; a service may add columns. */
export class CreateShardTables1760000000000 extends ForwardMigration {
  override readonly name = 'CreateShardTables1760000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table replica (id uuid primary key, heartbeat bigint not null default 0, instance text)');
    await runner.query('create table shard (shard smallint primary key, owner uuid, epoch bigint not null default 0)');
    await runner.query('insert into shard (shard) select generate_series(0, 255)');
  }
}

/** Makes `replica` the owner of every shard at epoch 1 of a fresh database. */
export async function ownEveryShard(dataSource: DataSource, replica: string): Promise<void> {
  await dataSource.query('insert into replica (id, heartbeat) values ($1, 1)', [replica]);
  await dataSource.query('update shard set owner = $1, epoch = epoch + 1', [replica]);
}
