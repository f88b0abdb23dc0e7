import { id, instant, milliseconds, natural, oneOf, pattern, text } from './field-rules';
import { RecordRule } from './record-rule';
import { described, nullable, optional, type Rule } from './rule';

const safeMax = Number.MAX_SAFE_INTEGER;
const accepted = (rule: Rule<unknown>, values: readonly unknown[]) => values.filter(value => rule.problem(value, 'x') === null);

describe('what a field may hold', () => {
  it.each<[string, Rule<unknown>, unknown[], unknown[]]>([
    ['an id (A-57)', id, [1, safeMax], [0, -1, 1.5, safeMax + 1, NaN, '1', null]],
    ['a natural number (A-57)', natural, [0, 1, safeMax], [-1, 0.5, safeMax + 1, Infinity, '0', null]],
    ['a duration', milliseconds, [0, 0.5, 1e9], [-0.1, NaN, Infinity, '1', null]],
    ['a text', text(3), ['', 'abc'], ['abcd', 3, null]],
    ['a form', pattern(/^a+$/, 'of a'), ['a', 'aa'], ['', 'b', ['a'], null]],
    ['a choice', oneOf(['A', 'B']), ['A', 'B'], ['C', '', null, 0]],
    [
      'an instant',
      instant,
      ['2024-02-29T23:59:59Z', '2025-06-01T10:00:00.123456789Z'],
      [
        '2025-02-29T00:00:00Z',
        '2025-13-01T00:00:00Z',
        '2025-06-01T25:00:00Z',
        '2025-06-01T10:00:00+02:00',
        '2025-06-01',
        1,
        null,
      ],
    ],
  ])('%s', (...[, rule, good, bad]) => {
    expect(accepted(rule, [...good, ...bad])).toEqual(good);
  });

  it('null where it may be null, missing where it may be missing, and neither is the other (A-55)', () => {
    const values = [null, undefined, 1, 0];
    expect(accepted(id, values)).toEqual([1]);
    expect(accepted(nullable(id), values)).toEqual([null, 1]);
    expect(accepted(optional(id), values)).toEqual([undefined, 1]);
    expect([nullable(id).read(null), nullable(id).read(1), optional(id).read(undefined), optional(id).read(1)]).toEqual([
      null,
      1,
      undefined,
      1,
    ]);
  });

  it('is documented as it is checked: null beside a type, and beside a list of values', () => {
    const choice = oneOf(['A']);
    const orNull = { anyOf: [{ type: 'string', enum: ['A'] }, { type: 'null' }] };
    expect(nullable(text(3)).schema).toStrictEqual({ type: ['string', 'null'], maxLength: 3 });
    expect(nullable(choice).schema).toStrictEqual(orNull);
    expect(nullable(nullable(choice)).schema).toStrictEqual({ anyOf: [orNull, { type: 'null' }] });
    expect(nullable(described('why', choice)).schema).toStrictEqual({ description: 'why', ...orNull });
    expect(described('why', optional(id))).toMatchObject({ isOptional: true, schema: { description: 'why', type: 'integer' } });
  });

  it('is checked and read by the rule that is described', () => {
    const choice = described('why', oneOf(['A']));
    expect(accepted(choice, ['A', 'B'])).toEqual(['A']);
    expect(choice.read('A')).toBe('A');
  });
});

describe('what a record may hold', () => {
  type Range = { from: number; to: number };
  type Outer = { id: number; range: Range; note?: string | undefined };
  let inner: RecordRule<Range>;
  let outer: RecordRule<Outer>;
  beforeEach(() => {
    inner = new RecordRule<Range>({
      title: 'Range',
      description: 'From and to.',
      fields: { from: natural, to: natural },
      across: ({ from, to }) => (from <= to ? null : 'to: must not be before from'),
    });
    outer = new RecordRule<Outer>({
      title: 'Outer',
      description: 'An id and a range.',
      fields: { id, range: inner, note: optional(text(3)) },
    });
  });
  const good = { id: 1, range: { from: 1, to: 1 } };

  it.each([
    [[], 'data: must be an object'],
    [{ ...good, id: 0 }, 'id: must be an integer in [1, 2^53)'],
    [{ ...good, range: null }, 'range: must be an object'],
    [{ ...good, range: { from: 1, to: -1 } }, 'range.to: must be an integer in [0, 2^53)'],
    [{ ...good, range: { from: 2, to: 1 } }, 'range.to: must not be before from'],
    [{ ...good, note: 'long' }, 'note: must be text of at most 3 characters'],
  ])('of %j it is said where it is wrong, and nothing of what it holds (T-16)', (value, reason) => {
    expect(outer.parse(value)).toEqual({ ok: false, reason });
  });

  it('a rule across the fields of the whole names its field without a place before it', () => {
    expect(inner.parse({ from: 2, to: 1 })).toEqual({ ok: false, reason: 'to: must not be before from' });
  });

  it('is read without the members nobody knows, and without those that are missing', () => {
    expect(outer.parse({ ...good, more: 1, range: { ...good.range, more: 1 } })).toStrictEqual({ ok: true, value: good });
    expect(outer.parse({ ...good, note: 'abc' })).toStrictEqual({ ok: true, value: { ...good, note: 'abc' } });
    expect(nullable(outer).read(null)).toBeNull();
  });

  it('is documented as it is checked: each field, and which of them must be there', () => {
    expect(outer.schema).toEqual({
      title: 'Outer',
      description: 'An id and a range.',
      type: 'object',
      required: ['id', 'range'],
      properties: { id: id.schema, range: inner.schema, note: text(3).schema },
    });
  });
});
