import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import fc from 'fast-check';
import { instants, scalars, texts } from './array-literal';

describe('array literals', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const read = async (type: string, literal: string) =>
    (await database.dataSource.query<{ value: unknown }[]>(`select unnest($1::${type}[]) as value`, [literal])).map(
      row => row.value,
    );

  it('carry every text unchanged, null apart from "null"', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }).filter(value => !value.includes('\0')),
      fc.constantFrom('null', 'NULL', '', ' ', '{', '}', ',', '"', '\\', '\\"', 'a.b-c_d', '2026-11-20T10:00:00.000Z'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text), { minLength: 1 }), async values => {
        expect(await read('text', texts(values))).toEqual(values);
      }),
      { numRuns: 200 },
    );
  });

  it('carry numbers, booleans and instants', async () => {
    expect(await read('bigint', scalars([1, null, Number.MAX_SAFE_INTEGER]))).toEqual(['1', null, '9007199254740991']);
    expect(await read('boolean', scalars([true, false, null]))).toEqual([true, false, null]);
    const at = new Date('2026-11-20T10:00:00.123Z');
    expect(await read('timestamptz', instants([at, null]))).toEqual([at, null]);
    expect(await read('bigint', scalars([]))).toEqual([]);
  });
});
