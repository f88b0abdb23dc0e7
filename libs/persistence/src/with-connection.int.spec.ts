import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from './testing';
import { withConnection } from './with-connection';

describe('a connection that is lent', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase({ poolMax: 1 });
    await database.dataSource.query('create table note(id int)');
  });
  afterEach(() => database.drop());

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
