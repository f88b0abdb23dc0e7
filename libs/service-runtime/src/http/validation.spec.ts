import { plainToInstance } from 'class-transformer';
import { IsInt, IsOptional, validateSync } from 'class-validator';
import { FromDigits, IsInstantText } from './validation';

class Query {
  @IsOptional()
  @IsInstantText()
  since?: string;

  @IsOptional()
  @FromDigits()
  @IsInt()
  limit?: number;
}

const read = (query: object): unknown => {
  const found = plainToInstance(Query, query);
  return validateSync(found).length === 0 ? { ...found } : 'refused';
};

/** proves: A-57, R-7-6 */
describe('instants and integers of a query', () => {
  it.each([
    ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00Z'],
    ['2026-01-31T10:00:00.5Z', '2026-01-31T10:00:00.5Z'],
    ['2026-01-31T10:00:00.123Z', '2026-01-31T10:00:00.123Z'],
    ['2026-01-31T10:00:00.1239Z', '2026-01-31T10:00:00.123Z'],
    ['2026-01-31T23:59:59.999999999Z', '2026-01-31T23:59:59.999Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ])('%s is read as %s', (since, instant) => {
    expect(read({ since })).toEqual({ since: instant });
  });

  it.each([
    // Other forms of ISO 8601.
    ...[
      '2026',
      '2026-01',
      '2026-01-31',
      '2026-W05',
      '2026-W05-6',
      '2026-031',
      '20260131T100000Z',
      '2026-01-31T10',
      '2026-01-31T10:00',
    ],
    ...[
      '2026-01-31T10:00:00',
      '2026-01-31T10:00Z',
      '2026-01-31T10:00:00,5Z',
      '+002026-01-31T10:00:00Z',
      '+010000-01-01T00:00:00Z',
    ],
    ...['2026-01-31T10:00:00+00:00', '2026-01-31T10:00:00-00:00', '2026-01-31T10:00:00+14:00', '2026-01-31T10:00:00+2400'],
    ...['2026-01-31t10:00:00z', '2026-01-31 10:00:00Z', 'P1D', '2026-01-31T10:00:00Z/P1D', '2026-01-31T10:00:00.Z'],
    '2026-01-31T10:00:00.1234567890Z',
    // Instants that do not exist, or that the database does not have.
    ...['2026-01-31T24:00:00Z', '2026-12-31T23:59:60Z', '2026-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '0000-01-01T00:00:00Z'],
    // Not instants at all.
    ...['', ' 2026-01-31T10:00:00Z', '2026-01-31T10:00:00Z\n', 'now', 'infinity', '٢٠٢٦-01-31T10:00:00Z', 'x'.repeat(5_000)],
    ...[7, true, ['2026-01-31T10:00:00Z'], { a: '2026-01-31T10:00:00Z' }],
  ])('%j is refused as an instant', since => {
    expect(read({ since })).toBe('refused');
  });

  it('digits are read as an integer', () => {
    expect(['0', '7', '500', '9007199254740991'].map(limit => read({ limit }))).toEqual(
      [0, 7, 500, 9_007_199_254_740_991].map(limit => ({ limit })),
    );
  });

  it.each([
    ...[
      '',
      ' ',
      '-1',
      '+5',
      ' 5',
      '05',
      '1e3',
      '0x10',
      '0b1',
      '1.0',
      '1,5',
      '1_000',
      '5n',
      'NaN',
      'Infinity',
      '١',
      '9'.repeat(17),
    ],
    ...[['5'], { a: '5' }],
  ])('%j is refused as an integer', limit => {
    expect(read({ limit })).toBe('refused');
  });
});
