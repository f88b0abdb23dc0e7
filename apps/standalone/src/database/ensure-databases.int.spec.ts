import { Client } from 'pg';
import { databaseNames } from './database-names';
import { DatabaseServerError, dropDatabases, ensureDatabases } from './ensure-databases';

const server = process.env['PAYCODE_TEST_DATABASE_URL']!;
const passwordOf = (owner: string) => `secret of ${owner}`;

async function connectTo(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query<{ name: string }>('select current_database() as name')).rows[0]!.name;
  } finally {
    await client.end();
  }
}

describe('databases of the standalone platform', () => {
  afterEach(() => dropDatabases(server));

  it('are one per service, and made only once', async () => {
    const { urls, areNew } = await ensureDatabases({ url: server });
    expect(await Promise.all(Object.values(urls).map(connectTo))).toEqual(Object.values(databaseNames));
    expect(areNew).toBe(true);
    expect(await ensureDatabases({ url: server })).toEqual({ urls, areNew: false });
  });

  it('architecture 1: no service can open the database of another', async () => {
    const { urls } = await ensureDatabases({ url: server, passwordOf });
    expect(await connectTo(urls['auth-session'])).toBe('paycode_auth_session');
    const foreign = new URL(urls['auth-session']);
    foreign.pathname = '/paycode_webhook_dispatcher';
    await expect(connectTo(foreign.href)).rejects.toThrow('permission denied for database');
  });

  it('says which server cannot be reached', async () => {
    const refused = ensureDatabases({ url: 'postgres://nobody@127.0.0.1:1/postgres' });
    await expect(refused).rejects.toThrow(DatabaseServerError);
    await expect(refused).rejects.toThrow('PostgreSQL at 127.0.0.1:1 cannot be used');
  });
});
