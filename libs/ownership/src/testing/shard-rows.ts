import type { DataSource } from 'typeorm';

/** Makes `replica` the owner of every shard at epoch 1 of a fresh database. */
export async function ownEveryShard(dataSource: DataSource, replica: string): Promise<void> {
  await dataSource.query('insert into replica (id, heartbeat) values ($1, 1)', [replica]);
  await dataSource.query('update shard set owner = $1, epoch = epoch + 1', [replica]);
}
