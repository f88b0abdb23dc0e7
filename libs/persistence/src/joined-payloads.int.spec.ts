import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import fc from 'fast-check';
import { joinedPayload, joinPayloads } from './joined-payloads';

describe('joined payloads', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

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
