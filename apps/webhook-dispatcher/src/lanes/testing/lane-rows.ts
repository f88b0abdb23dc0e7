import type { DataSource } from 'typeorm';

/** Makes `replica` the owner of every lane at epoch 1 of a fresh database. */
export async function ownEveryLane(dataSource: DataSource, replica: string): Promise<void> {
  await dataSource.query('insert into replica (id, beat) values ($1, 1)', [replica]);
  await dataSource.query('update lane set owner = $1, epoch = epoch + 1', [replica]);
}
