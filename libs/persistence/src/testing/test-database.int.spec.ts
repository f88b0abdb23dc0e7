import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '../forward-migration';
import { createTestDatabase, type TestDatabase } from './test-database';

class CreateNote1700000000000 extends ForwardMigration {
  override readonly name = 'CreateNote1700000000000';
  override up(runner: QueryRunner): Promise<void> {
    return runner.query('create table note(id int primary key)');
  }
}

describe('createTestDatabase', () => {
  const made: TestDatabase[] = [];
  afterEach(() => Promise.all(made.splice(0).map(database => database.drop())));

  it('gives each caller a migrated database of its own', async () => {
    const [first, second] = await Promise.all([
      createTestDatabase({ migrations: [CreateNote1700000000000] }),
      createTestDatabase({ migrations: [CreateNote1700000000000] }),
    ]);
    made.push(first, second);
    await first.dataSource.query('insert into note values (1)');
    expect(await second.dataSource.query('select * from note')).toEqual([]);
  });
});
