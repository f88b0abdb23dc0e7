import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { Pool } from 'pg';
import { EventLog } from './event-log';
import { LogInSegments1806000000000 } from './log-in-segments.migration';
import { migrations } from './migrations';

const before = migrations.slice(0, migrations.indexOf(LogInSegments1806000000000));
/** Partition, position, second of the publication: in partition 1 the clock stepped back. */
const records = [
  [0, 7, 10],
  [1, 3, 11],
  [1, 4, 5],
  [0, 8, 12],
] as const;

describe('the log of the release before', () => {
  const later = undoneAfterEach();
  let database: TestDatabase;

  beforeEach(async () => {
    const made = await createTestDatabase({ migrations: before });
    later(() => made.drop());
    database = made;
    const run = (sql: string, values: unknown[] = []) => database.dataSource.query(sql, values);
    await run(`insert into event_topic (name, partitions) values ('t', 3), ('unused', 1)`);
    await run(`insert into event_partition select 1, n, (array[9, 5, 0])[n + 1] from generate_series(0, 2) n`);
    await run('insert into event_partition values (2, 0, 0)');
    for (const [partition, position, second] of records)
      await run('insert into event_log values (1, $1, $2, $3, $4, $5, $6, $7, $8, null, $9, to_timestamp($10))', [
        ...[partition, position, `key-${position}`, `id-${position}`, 'Type', 'source', 'time'],
        ...[partition === 0 ? 'trace' : null, `{"n":"é",\n"at":${position}}`, second],
      ]);
    // The first partition is read up to its second record, the second wholly; the third has none.
    await run(
      `insert into event_offset select 1, 'g', n, (array[8, 5, 0])[n + 1], gen_random_uuid(), 4 from generate_series(0, 2) n`,
    );
  });

  const migrate = async () => {
    const runner = database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await new LogInSegments1806000000000().up(runner);
    await runner.commitTransaction();
    await runner.release();
  };

  it('moves over: the records in the order of their partitions, behind all former positions, and what each group has read', async () => {
    await migrate();
    const pool = new Pool({ connectionString: database.url });
    later(() => pool.end());
    const slice = await new EventLog(pool, pool).read(1, 0n, 100);
    const found = slice!.records.map(({ partition, offset, raw }) => [partition, offset, raw.key, raw.headers!['traceparent']]);
    expect(found).toEqual([
      [0, 9n, 'key-7', 'trace'],
      [1, 10n, 'key-3', undefined],
      [1, 11n, 'key-4', undefined],
      [0, 12n, 'key-8', 'trace'],
    ]);
    expect(JSON.parse(String(slice!.records[3]!.raw.value))).toEqual({ n: 'é', at: 8 });
    expect(await database.dataSource.query('select owners, epochs, positions from event_group')).toEqual([
      { owners: [0, 0, 0], epochs: [4, 4, 4], positions: ['12', '13', '13'] },
    ]);
    expect(await database.dataSource.query('select next_position from event_topic order by id')).toEqual([
      { next_position: '13' },
      { next_position: '0' },
    ]);
  });

  it('refuses its publishers, readers and members from then on', async () => {
    await migrate();
    const statements = [
      'update event_partition set next_position = next_position + 1',
      'select * from event_log',
      'update event_offset set position = 1',
      `update event_member set heartbeat_at = now() where id = gen_random_uuid()`,
    ];
    for (const statement of statements) await expect(database.dataSource.query(statement)).rejects.toThrow(/does not exist/);
  });
});
