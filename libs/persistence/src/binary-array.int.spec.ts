import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import fc from 'fast-check';
import { bigints, smallints } from './binary-array';

describe('binary arrays', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const read = async (type: string, array: Buffer) =>
    (await database.dataSource.query<{ value: unknown }[]>(`select unnest($1::${type}[]) as value`, [array])).map(
      row => row.value,
    );

  it('carry every integer below 2^53 unchanged', async () => {
    const extremes = fc.constantFrom(
      0,
      -1,
      2 ** 31,
      2 ** 32 - 1,
      2 ** 32,
      -(2 ** 32),
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.maxSafeInteger(), extremes)), async values => {
        expect(await read('bigint', bigints(values))).toEqual(values.map(String));
      }),
      { numRuns: 100 },
    );
  });

  it('carry integers of 16 bits, and refuse others', async () => {
    expect(await read('smallint', smallints([0, -32_768, 32_767]))).toEqual([0, -32_768, 32_767]);
    expect(await read('smallint', smallints([]))).toEqual([]);
    expect(() => smallints([32_768])).toThrow('out of range');
  });
});
