import { undoneAfterEach } from '@paycode/service-runtime/testing';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { openDataSource } from './data-source';
import { FirstMigration, ForwardMigration, runMigrations } from './migrate';
import { createTestDatabase } from './testing';

class CreateNote1700000000000 extends ForwardMigration {
  override readonly name = 'CreateNote1700000000000';
  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table note (text text)');
  }
}
class DateNotes1700000000001 extends ForwardMigration {
  override readonly name = 'DateNotes1700000000001';
  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table note add column written_at timestamptz');
  }
}
class CreateSchema1820000000000 extends FirstMigration {
  override readonly name = 'CreateSchema1820000000000';
  protected override readonly replaces = 'DateNotes1700000000001';
  protected override readonly statements = [
    'create table note (text text, written_at timestamptz)',
    'create index on note (text)',
  ];
}
class SignNotes1830000000000 extends ForwardMigration {
  override readonly name = 'SignNotes1830000000000';
  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table note add column author text');
  }
}
type Migrations = (new () => MigrationInterface)[];
const before: Migrations = [CreateNote1700000000000, DateNotes1700000000001];
const today: Migrations = [CreateSchema1820000000000, SignNotes1830000000000];

const names = (migrations: Migrations) => migrations.map(({ name }) => name);

/** Everybody who runs a commit from before the first release upgrades by this (docs/how-to/deploy-to-kubernetes.md). */
describe('the first migration', () => {
  const later = undoneAfterEach();

  /** A database that a commit with these migrations has made, and replicas of this one. */
  async function upgraded(migrations: Migrations, replicas = 1): Promise<DataSource[]> {
    const { url, drop } = await createTestDatabase({ migrations });
    later(drop);
    const open = () => openDataSource({ url, applicationName: 'test', migrations: today, poolMax: 2 });
    const opened = await Promise.all(Array.from({ length: replicas }, open));
    for (const each of opened) later(() => each.destroy());
    return opened;
  }
  const appliedIn = async (database: DataSource) =>
    (await database.query<{ name: string }[]>('select name from migrations order by id')).map(({ name }) => name);

  it('regression: a migration may take longer than a statement of the service, and waits for no lock as long', async () => {
    const { url, drop } = await createTestDatabase();
    later(drop);
    class ChangeLargeTable1840000000000 extends ForwardMigration {
      override readonly name = 'ChangeLargeTable1840000000000';
      override async up(runner: QueryRunner): Promise<void> {
        await runner.query(`create table limits as select current_setting('lock_timeout') as locks from pg_sleep(1)`);
      }
    }
    const migrations = [ChangeLargeTable1840000000000];
    const database = await openDataSource({ url, applicationName: 'test', migrations, poolMax: 2, statementTimeoutMs: 500 });
    later(() => database.destroy());
    expect(await runMigrations(database)).toEqual(names(migrations));
    expect(await database.query('select locks from limits')).toEqual([{ locks: '5s' }]);
  });

  it('makes the whole schema of a new database', async () => {
    const [database] = await upgraded([]);
    expect(await runMigrations(database!)).toEqual(names(today));
    await database!.query(`insert into note values ('a', now(), 'b')`);
  });

  it('keeps the schema and the rows that all migrations of before made, whatever number of replicas start, and lets the next one run', async () => {
    const replicas = await upgraded(before, 3);
    await replicas[0]!.query(`insert into note values ('kept', now())`);
    const applied = await Promise.all(replicas.map(replica => runMigrations(replica)));
    expect(applied.flat()).toEqual(names(today));
    expect(await appliedIn(replicas[0]!)).toEqual(names([...before, ...today]));
    expect(await replicas[0]!.query('select text, author from note')).toEqual([{ text: 'kept', author: null }]);
    expect(await runMigrations(replicas[0]!)).toEqual([]);
  });

  it('refuses a database that lacks the last migration of before, says what to do, and changes nothing', async () => {
    const [database] = await upgraded(before.slice(0, 1));
    await expect(runMigrations(database!)).rejects.toThrow(
      'the database lacks the migration DateNotes1700000000001: start the last commit before CreateSchema1820000000000 on it once, then this one',
    );
    expect(await appliedIn(database!)).toEqual(names(before.slice(0, 1)));
    expect(await database!.query('select * from note')).toEqual([]);
  });
});
