import { preparedQuery, replannedAsItGrows } from './prepared-query';
import { createTestDatabase, type TestDatabase } from './testing';

describe('a prepared query', () => {
  let database: TestDatabase;
  beforeEach(async () => (database = await createTestDatabase({ poolMax: 1 })));
  afterEach(() => database.drop());

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
