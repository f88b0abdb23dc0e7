import { randomBytes } from 'node:crypto';
import { openDataSource, runMigrations } from '@paycode/persistence';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import type { DataSource } from 'typeorm';
import { insertOnly, migrations } from '../../migrations';

/** The database as the deployment guide has it: the schema belongs to an owner, the service's role has rights on rows. */
const role = `paycode_test_${randomBytes(6).toString('hex')}`;
const password = randomBytes(16).toString('hex');
let database: TestDatabase;
let service: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  const owner = await openDataSource({ url: database.url, applicationName: 'owner', migrations });
  await owner.query(`create role ${role} login password '${password}'`);
  await runMigrations(owner, { role, insertOnly });
  await owner.destroy();
  const url = new URL(database.url);
  [url.username, url.password] = [role, password];
  service = await openDataSource({ url: url.href, applicationName: 'service' });
});
afterAll(async () => {
  await service.destroy();
  await database.dataSource.query(`drop owned by ${role}`);
  await database.dataSource.query(`drop role ${role}`);
  await database.drop();
});

const insert = (age: string) =>
  service.query(`insert into security_event (at, kind, actor) values (now() - $1::interval, 'LOGIN_FAILED', 'client')`, [age]);
const refused = (sql: string) =>
  service.query(sql).then(
    () => 'done',
    (error: { code?: string }) => error.code,
  );

describe("the service's own role and the security log (F11, ASVS 16.4.2)", () => {
  it('adds to it and reads it', async () => {
    await insert('1 day');
    expect(await service.query('select kind from security_event')).toEqual([{ kind: 'LOGIN_FAILED' }]);
  });

  it.each([
    ...[`update security_event set kind = 'x'`, 'delete from security_event', 'truncate security_event'],
    ...['alter table security_event disable trigger all', 'drop trigger security_event_append_only on security_event'],
    'drop table security_event',
    'create trigger t before insert on security_event for each row execute function refuse_security_event_change()',
    'create or replace function refuse_security_event_change() returns trigger language plpgsql as $$ begin return old; end $$',
  ])('cannot: %s', async sql => {
    expect(['42501', '42P01']).toContain(await refused(sql));
  });

  it('has rows past their year removed, and no others', async () => {
    await insert('360 days');
    await insert('368 days');
    expect(await service.query('select purge_security_events(10) as count')).toEqual([{ count: 1 }]);
    expect(await service.query('select count(*)::int as count from security_event')).toEqual([{ count: 2 }]);
  });
});
