import { randomBytes } from 'node:crypto';
import { createLogger, createServiceApp } from '@paycode/service-runtime';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { openDataSource } from './data-source';
import { runMigrations } from './migrate';
import { DatabaseModule, migrateDatabase } from './nest/database.module';
import { createTestDatabase, type TestDatabase } from './testing';

class Tables1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table payment (id bigserial primary key, amount int not null)');
    await runner.query('create table "Log" (id int generated always as identity, text text)');
  }
  async down(): Promise<void> {}
}
class Later1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table refund (id int primary key)');
  }
  async down(): Promise<void> {}
}
type Migrations = (new () => MigrationInterface)[];
const first = [Tables1700000000000];
const both = [...first, Later1700000000001];
const password = randomBytes(16).toString('hex');
const newRole = (kind: string) => `${kind}_${randomBytes(6).toString('hex')}`;
const [owner, service, other] = [newRole('owner'), newRole('service'), newRole('other')];

/** PostgreSQL as a platform team hands it over: one role owns the schema and migrates, the service logs in as one that owns nothing. */
describe('a service whose schema belongs to another role', () => {
  let database: TestDatabase;
  const urlOf = (role: string) => {
    const url = new URL(database.url);
    [url.username, url.password] = [role, password];
    return url.href;
  };
  const reader = { role: other, reads: [{ table: 'payment', columns: ['id'] }] };
  const migrate = (migrations: Migrations, role: string | undefined = service) =>
    migrateDatabase('two-roles', { migrations, insertOnly: ['Log'], reader })({
      DATABASE_URL: urlOf(owner),
      DATABASE_SERVICE_ROLE: role,
      LOG_LEVEL: 'silent',
    });
  const check = async (migrations: Migrations) => {
    const rights = { caFile: null, serviceRole: null, pendingMigrations: 'check' } as const;
    const module = DatabaseModule.forRoot('two-roles', { url: urlOf(service), poolMax: 2, ...rights, migrations });
    const app = await createServiceApp(module, createLogger('two-roles', 'silent'));
    await app.close();
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    for (const role of [owner, service, other])
      await database.dataSource.query(`create role ${role} login password '${password}'`);
    await database.dataSource.query(`alter database ${new URL(database.url).pathname.slice(1)} owner to ${owner}`);
  });
  afterAll(async () => {
    for (const role of [other, service, owner]) await database.dataSource.query(`drop owned by ${role} cascade`);
    await database.drop();
  });

  it('gets an error before the first migration, and then one about its missing rights', async () => {
    await expect(check(first)).rejects.toThrow('migrations are pending');
    await migrate(first, '');
    await expect(check(first)).rejects.toThrow('DATABASE_SERVICE_ROLE');
  });

  it('starts once the migration has granted its role, and after every later migration', async () => {
    await migrate(first);
    await check(first);
    await expect(check(both)).rejects.toThrow('migrations are pending');
    await migrate(both);
    await migrate(both);
    await check(both);
  });

  it.each([
    ...['insert into payment (amount) values (1)', 'update payment set amount = 2', 'delete from payment'],
    ...['insert into refund values (1)', `insert into "Log" (text) values ('x')`, 'select * from "Log"'],
  ])('may: %s', async sql => {
    expect(await outcomeOf(sql)).toBe('done');
  });

  it.each([
    ...['create table mine (id int)', 'drop table payment', 'alter table payment add column more int', 'delete from "Log"'],
    ...['truncate payment', 'truncate "Log"'],
  ])('may not: %s', async sql => {
    expect(await outcomeOf(sql)).toBe('42501');
  });

  it('another service reads the columns that are named, and nothing else; a role that is not there is passed over', async () => {
    expect(await outcomeOf('select id from payment', other)).toBe('done');
    for (const sql of ['select amount from payment', 'select * from refund', 'update payment set amount = 2'])
      expect([sql, await outcomeOf(sql, other)]).toEqual([sql, '42501']);
    const nobody = { ...reader, role: newRole('nobody') };
    await runMigrations(database.dataSource, undefined, nobody);
  });

  it('fails the migration that names a role which does not exist', async () => {
    await expect(migrate(both, 'nobody"; drop table payment; --')).rejects.toThrow('does not exist');
    await check(both);
  });

  async function outcomeOf(sql: string, role = service): Promise<string | undefined> {
    const connection = await openDataSource({ url: urlOf(role), applicationName: 'service', poolMax: 1 });
    try {
      return await connection.query(sql).then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
    } finally {
      await connection.destroy();
    }
  }
});
