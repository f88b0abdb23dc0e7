import { Client } from 'pg';
import { databaseNames } from './database-names';
import { DatabaseServerError, dropDatabases, ensureDatabases } from './ensure-databases';

const server = process.env['PAYCODE_TEST_DATABASE_URL']!;
const passwordOf = (owner: string) => `secret of ${owner}`;

async function queryAs<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function connectTo(url: string): Promise<string> {
  return (await queryAs<{ name: string }>(url, 'select current_database() as name'))[0]!.name;
}

describe('databases of the standalone platform', () => {
  afterEach(() => dropDatabases(server));

  it('are one per service, and made only once', async () => {
    const { urls, eventLogUrls, areNew } = await ensureDatabases({ url: server });
    const all = [...Object.values(urls), eventLogUrls['webhook-dispatcher']];
    expect(await Promise.all(all.map(connectTo))).toEqual(Object.values(databaseNames));
    expect(areNew).toBe(true);
    expect(await ensureDatabases({ url: server })).toEqual({ urls, eventLogUrls, areNew: false });
  });

  it('architecture 1: no service can open the database of another', async () => {
    const { urls } = await ensureDatabases({ url: server, passwordOf });
    expect(await connectTo(urls['auth-session'])).toBe('paycode_auth_session');
    const foreign = new URL(urls['auth-session']);
    foreign.pathname = '/paycode_webhook_dispatcher';
    await expect(connectTo(foreign.href)).rejects.toThrow('permission denied for database');
  });

  it('architecture 1: each service has a login of its own for the event log, others have none, and what one makes belongs to all', async () => {
    const { urls, eventLogUrls } = await ensureDatabases({ url: server, passwordOf });
    const who = 'select session_user as login, current_user as owner';
    const [dispatcher, simulator] = [eventLogUrls['webhook-dispatcher'], eventLogUrls['payment-simulator']];
    expect(await queryAs(dispatcher, who)).toEqual([{ login: 'paycode_webhook_dispatcher', owner: 'paycode_events' }]);
    await queryAs(dispatcher, 'create table made_by_one (id int)');
    await queryAs(simulator, 'alter table made_by_one add column seen int');
    const owner = new URL(dispatcher);
    [owner.username, owner.password] = ['paycode_events', passwordOf('events')];
    await expect(connectTo(owner.href)).rejects.toThrow('is not permitted to log in');
    const foreign = new URL(urls['auth-session']);
    foreign.pathname = '/paycode_events';
    await expect(connectTo(foreign.href)).rejects.toThrow('permission denied for database');
  });

  it('says which server cannot be reached', async () => {
    const refused = ensureDatabases({ url: 'postgres://nobody@127.0.0.1:1/postgres' });
    await expect(refused).rejects.toThrow(DatabaseServerError);
    await expect(refused).rejects.toThrow('PostgreSQL at 127.0.0.1:1 cannot be used');
  });
});
