import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { openDataSource } from './data-source';
import { createTestDatabase, type TestDatabase, testDatabaseForEach } from './testing';
import { preparedQuery, replannedAsItGrows, withConnection } from './with-connection';

describe('a connection that is lent', () => {
  const database = testDatabaseForEach({ poolMax: 1 });
  beforeEach(async () => {
    await database.dataSource.query('create table note(id int)');
  });

  const notes = () => database.dataSource.query('select id from note');

  const terminate = async (pid: number) => {
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query('select pg_terminate_backend($1)', [pid]).finally(() => other.end());
  };

  it('takes several statements in one round trip', async () => {
    await withConnection(database.dataSource, client => client.query('begin; insert into note values (1); commit'));
    expect(await notes()).toEqual([{ id: 1 }]);
  });

  it('is rolled back when the work throws, and lent again', async () => {
    const failing = withConnection(database.dataSource, async client => {
      await client.query('begin; insert into note values (1)');
      throw new Error('no broker');
    });
    await expect(failing).rejects.toThrow('no broker');
    expect(await notes()).toEqual([]);
  });

  it('may be lost between two statements: the work fails, and the next one has another connection', async () => {
    const failing = withConnection(database.dataSource, async client => {
      const lost = new Promise(resolve => client.once('end', resolve));
      await client.query('begin; insert into note values (1)');
      const [self] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
      await terminate(self!.pid);
      await lost;
      await client.query('commit');
    });
    await expect(failing).rejects.toThrow(/connection/i);
    expect(await notes()).toEqual([]);
  });
});

describe('a server that is the primary no more and closes no connection', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  beforeEach(async () => {
    database = await createTestDatabase();
    dataSource = await openDataSource({ url: database.url, applicationName: 'primary', poolMax: 2, statementTimeoutMs: 100 });
  });
  afterEach(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const pid = async () => (await dataSource.query<[{ pid: number }]>('select pg_backend_pid() as pid'))[0].pid;
  /** Does the work on each connection of the pool, in both ways to lend one; gives the former backends. */
  const failOnAll = async (text: string) => {
    const former = await Promise.all([pid(), pid()]);
    const works = [
      dataSource.transaction(tx => tx.query(text)),
      withConnection(dataSource, connection => connection.query(text)),
    ];
    for (const work of await Promise.allSettled(works)) expect(work).toMatchObject({ status: 'rejected' });
    return former;
  };

  it('regression: a connection without an answer ends after the limit of a statement, and the next statement has another', async () => {
    // The limit of the server would end the statement, as that of a frozen one does not.
    const former = await failOnAll('set statement_timeout = 0; select pg_sleep(3600)');
    expect(former).not.toContain(await pid());
  });

  it.each([
    ['ends with the first statement that reaches the limit, as one that waits for a lock for ever', 'select pg_sleep(3600)'],
    [
      'to a standby ends with the first write that it refuses',
      'set default_transaction_read_only = on; commit; create table note(id int)',
    ],
  ])('regression: a connection %s', async (_, text) => {
    const former = await failOnAll(text);
    expect(former).not.toContain(await pid());
  });
});

describe('a prepared query', () => {
  const database = testDatabaseForEach({ poolMax: 1 });

  const sum = { name: 'sum', text: 'select $1::int + $2::int as sum' };

  it('runs on the pool of the data source under its name, so that PostgreSQL plans it once', async () => {
    expect(await preparedQuery(database.dataSource, sum, [1, 2])).toEqual([{ sum: 3 }]);
    expect(await preparedQuery(database.dataSource, sum, [3, 4])).toEqual([{ sum: 7 }]);
    const prepared = await database.dataSource.query(
      `select name, generic_plans + custom_plans as runs from pg_prepared_statements where name = 'sum'`,
    );
    expect(prepared).toEqual([{ name: 'sum', runs: '2' }]);
  });

  it('names the cause when the data source is not open', async () => {
    await database.dataSource.destroy();
    await expect(preparedQuery(database.dataSource, sum, [1, 2])).rejects.toThrow(
      'the data source has no open pool of PostgreSQL connections',
    );
  });

  it('is planned again whenever its tables may have doubled', () => {
    const names = [0, 999, 1_000, 2_999, 3_000, 1_000_000].map(rows => replannedAsItGrows(sum, rows).name);
    expect(names).toEqual(['sum-0', 'sum-0', 'sum-1', 'sum-1', 'sum-2', 'sum-9']);
    expect(replannedAsItGrows(sum, 5_000).text).toBe(sum.text);
  });
});
