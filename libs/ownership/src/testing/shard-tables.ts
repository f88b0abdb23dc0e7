import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The two tables that every service has; a service may add columns. */
export class CreateShardTables1760000000000 implements MigrationInterface {
  name = 'CreateShardTables1760000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table replica (id uuid primary key, heartbeat bigint not null default 0)');
    await runner.query('create table shard (shard smallint primary key, owner uuid, epoch bigint not null default 0)');
    await runner.query('insert into shard (shard) select generate_series(0, 255)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table replica, shard');
  }
}
