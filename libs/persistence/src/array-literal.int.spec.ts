import { testDatabase } from '@paycode/persistence/testing';
import fc from 'fast-check';
import { bigints, instants, joinedPayload, joinPayloads, scalars, smallints, texts } from './array-literal';

describe('array literals', () => {
  const database = testDatabase();

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

describe('joined payloads', () => {
  const database = testDatabase();

  const read = async (values: readonly string[]) => {
    const { bytes, starts, lengths } = joinPayloads(values);
    const rows = await database.dataSource.query<{ value: string }[]>(
      `select ${joinedPayload('$1', 'start', 'length')} as value
         from unnest($2::int[], $3::int[]) with ordinality as t(start, length, ordinal) order by ordinal`,
      [bytes, starts, lengths],
    );
    return rows.map(row => row.value);
  };

  it('carry every text unchanged', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }).filter(value => !value.includes('\0')),
      fc.constantFrom('', 'é', '€', '😀', '{"a":"b"}', 'a.b-c_d'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1 }), async values => {
        expect(await read(values)).toEqual(values);
      }),
      { numRuns: 200 },
    );
  });

  it('halves of a character at the end of one text and the begin of the next stay apart', async () => {
    expect(await read(['a\ud83d', '\ude00b'])).toEqual(['a\ufffd', '\ufffdb']);
  });
});

describe('binary arrays', () => {
  const database = testDatabase();

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
