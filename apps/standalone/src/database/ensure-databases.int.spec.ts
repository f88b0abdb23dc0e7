import { createEventTransport } from '@paycode/events';
import { Client } from 'pg';
import { databaseNames } from './ensure-databases';
import { DatabaseServerError, dropDatabases, ensureDatabases } from './ensure-databases';

const server = process.env['PAYCODE_TEST_DATABASE_URL']!;
const ignore = (): void => undefined;
const silent = { info: ignore, warn: ignore, error: ignore };
const noKafka = { brokers: [], caFile: null, username: null, password: null };
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

  it('are one per service, and created only once', async () => {
    const { urls, eventLogUrls, schemaOwnerUrls, portalReaderUrls, areNew } = await ensureDatabases({ url: server });
    const all = [...Object.values(urls), eventLogUrls['webhook-dispatcher']];
    expect(await Promise.all(all.map(connectTo))).toEqual(Object.values(databaseNames));
    expect(areNew).toBe(true);
    expect(await ensureDatabases({ url: server })).toEqual({
      ...{ urls, eventLogUrls, schemaOwnerUrls, portalReaderUrls },
      areNew: false,
    });
  });

  it('architecture 1: no service can open the database of another', async () => {
    const { urls } = await ensureDatabases({ url: server, passwordOf });
    expect(await connectTo(urls['auth-session'])).toBe('paycode_auth_session');
    const foreign = new URL(urls['auth-session']);
    foreign.pathname = '/paycode_webhook_dispatcher';
    await expect(connectTo(foreign.href)).rejects.toThrow('permission denied for database');
  });

  it('architecture 1: each service has its own login for the event log and owns nothing there, also in the home of an older release; others have none', async () => {
    const { urls, eventLogUrls, eventLogOwnerUrl } = await ensureDatabases({ url: server, passwordOf });
    const portal = eventLogUrls.portal;
    // As the release before left it: each login worked with the rights of the owner.
    await queryAs(server, 'grant paycode_events to paycode_portal');
    await queryAs(server, 'alter role paycode_portal in database paycode_events set role paycode_events');
    await queryAs(portal, 'create table of_before (id int)');
    await ensureDatabases({ url: server, passwordOf });

    const log = await createEventTransport(
      { transport: 'postgres', databaseUrl: eventLogUrls['reversal-scheduler'], ownerUrl: eventLogOwnerUrl, kafka: noKafka },
      { service: 'reversal-scheduler', log: silent },
    );
    await log.close();
    const logins = Object.values(eventLogUrls).map(url => queryAs(url, 'select session_user as login, current_user as role'));
    const names = Object.keys(eventLogUrls).map(service => databaseNames[service as keyof typeof eventLogUrls]);
    expect((await Promise.all(logins)).flat()).toEqual(names.map(name => ({ login: name, role: name })));
    for (const sql of ['create table mine (id int)', 'set role paycode_events', 'update event_topic set next_position = 9'])
      await expect(queryAs(portal, sql)).rejects.toMatchObject({ code: '42501' });
    const foreign = new URL(urls['auth-session']);
    foreign.pathname = '/paycode_events';
    await expect(connectTo(foreign.href)).rejects.toThrow('permission denied for database');
  });

  describe('regression: the role of auth-session adds to the security log and cannot rewrite it (ASVS 16.4.2)', () => {
    /** As the migrations of auth-session make them, whoever runs these. */
    const tables = 'create table account (id int primary key, name text); create table security_event (id int primary key)';
    const refusals = async (url: string) => {
      const rewrites = ['update security_event set id = 9', 'delete from security_event', 'truncate security_event'];
      const owners = ['alter table security_event add x int', 'drop table security_event', 'create table mine (id int)'];
      const codes = [...rewrites, ...owners, 'truncate account'].map(sql =>
        queryAs(url, sql).catch((error: { code?: string }) => error.code),
      );
      return [...new Set(await Promise.all(codes))];
    };
    const works = async (url: string) => {
      await queryAs(url, 'insert into security_event select coalesce(max(id), 0) + 1 from security_event');
      await queryAs(url, 'insert into account select 1; update account set id = 2; delete from account');
    };

    /** A database as standalone created it when the service was the owner; returns the URL for the server's own user. */
    const databaseOfBefore = async () => {
      // Roles remain when the databases of the previous test are dropped.
      const made = await queryAs(server, `select 1 from pg_roles where rolname = 'paycode_auth_session'`);
      if (made.length === 0) await queryAs(server, 'create role paycode_auth_session');
      await queryAs(server, 'create database paycode_auth_session owner paycode_auth_session');
      await queryAs(server, 'revoke connect, temporary on database paycode_auth_session from public');
      const url = new URL(server);
      url.pathname = '/paycode_auth_session';
      return url.href;
    };

    it('in a new home: the service can use the tables that the owner creates', async () => {
      const { urls, schemaOwnerUrls } = await ensureDatabases({ url: server, passwordOf });
      await queryAs(schemaOwnerUrls['auth-session']!, tables);
      // As its migration does.
      await queryAs(
        schemaOwnerUrls['auth-session']!,
        'revoke update, delete, truncate on security_event from paycode_auth_session',
      );
      await works(urls['auth-session']);
      expect(await refusals(urls['auth-session'])).toEqual(['42501']);
    });

    it('in the home of an older release, where the service owned everything: the owner takes it over, once', async () => {
      const before = await databaseOfBefore();
      await queryAs(before, `set role paycode_auth_session; ${tables}; insert into security_event values (1)`);
      for (let start = 0; start < 2; start++) {
        const { urls, schemaOwnerUrls, areNew } = await ensureDatabases({ url: server, passwordOf });
        await works(urls['auth-session']);
        expect([areNew, await refusals(urls['auth-session'])]).toEqual([false, ['42501']]);
        await queryAs(schemaOwnerUrls['auth-session']!, `alter table security_event add seen_${start} int`);
      }
      const rows = await queryAs(before, 'select id from security_event order by id');
      expect(rows).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    });

    it('in a home whose first start was interrupted before a table was created', async () => {
      await databaseOfBefore();
      const { urls, schemaOwnerUrls } = await ensureDatabases({ url: server, passwordOf });
      await queryAs(schemaOwnerUrls['auth-session']!, tables);
      await works(urls['auth-session']);
    });
  });

  it('names the server that cannot be reached', async () => {
    const refused = ensureDatabases({ url: 'postgres://nobody@127.0.0.1:1/postgres' });
    await expect(refused).rejects.toThrow(DatabaseServerError);
    await expect(refused).rejects.toThrow('PostgreSQL at 127.0.0.1:1 cannot be used');
  });
});
