import { validateSync } from 'class-validator';
import fc from 'fast-check';
import * as z from 'zod';
import { contract, id, instant, milliseconds, natural, oneOf, own, pattern, record, text } from './contract';
import { idOf, IsId, IsIdText } from './ids';

const safeMax = Number.MAX_SAFE_INTEGER;
const accepted = (rule: z.ZodType, values: readonly unknown[]) => values.filter(value => rule.safeParse(value).success);
const schemaOf = (rule: z.ZodType) => contract(rule).schema;

describe('the rules of a field', () => {
  it.each<[string, z.ZodType, unknown[], unknown[]]>([
    ['an id (A-57)', id, [1, safeMax], [0, -1, 1.5, safeMax + 1, NaN, '1', null]],
    ['a natural number (A-57)', natural, [0, 1, safeMax], [-1, 0.5, safeMax + 1, Infinity, '0', null]],
    ['a duration', milliseconds, [0, 0.5, 1e9], [-0.1, NaN, Infinity, '1', null]],
    ['a text', text(3), ['', 'abc'], ['abcd', 3, null]],
    ['a form', pattern(/^a+$/, 'of a'), ['a', 'aa'], ['', 'b', ['a'], null]],
    ['a choice', oneOf(['A', 'B']), ['A', 'B'], ['C', '', null, 0]],
    ['what zod has no rule for', own({ type: 'number' }, 'even', value => Number(value) % 2 === 0), [2, 4], [1, 'x']],
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
        ['2025-06-01T10:00:00Z'],
        1,
        null,
      ],
    ],
  ])('%s', (...[, rule, good, bad]) => {
    expect(accepted(rule, [...good, ...bad])).toEqual(good);
  });

  it('an instant must exist in the calendar: 29 February, hours, seconds', () => {
    const two = (max: number) => fc.integer({ min: 0, max }).map(value => String(value).padStart(2, '0'));
    const four = fc.integer({ min: 0, max: 9_999 }).map(value => String(value).padStart(4, '0'));
    const years = fc.oneof(four, fc.constantFrom('1900', '2000', '2024', '2100', '0000', '2023'));
    fc.assert(
      fc.property(years, two(13), two(32), two(25), two(61), two(61), (...parts) => {
        const [year, month, day, hour, minute, second] = parts;
        const written = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
        const read = new Date(written);
        const isReal = !Number.isNaN(read.getTime()) && read.toISOString().slice(0, 10) === written.slice(0, 10);
        expect([written, instant.safeParse(written).success]).toEqual([written, isReal]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a field may be null or missing only where its rule says so, and the two differ (A-55)', () => {
    const values = [null, undefined, 1, 0];
    expect(accepted(id, values)).toEqual([1]);
    expect(accepted(id.nullable(), values)).toEqual([null, 1]);
    expect(accepted(id.optional(), values)).toEqual([undefined, 1]);
  });

  it('the documentation agrees with the check: null beside a type, and beside a list of values', () => {
    expect(schemaOf(id)).toStrictEqual({ type: 'integer', minimum: 1, maximum: safeMax });
    expect(schemaOf(milliseconds.nullable())).toStrictEqual({ type: ['number', 'null'], minimum: 0 });
    expect(schemaOf(text(3).nullable().describe('why'))).toStrictEqual({
      description: 'why',
      type: ['string', 'null'],
      maxLength: 3,
    });
    expect(schemaOf(oneOf(['A']).nullable())).toStrictEqual({ anyOf: [{ type: 'string', enum: ['A'] }, { type: 'null' }] });
    expect(schemaOf(own({ type: 'number' }, 'even', Boolean).describe('why'))).toStrictEqual({
      description: 'why',
      type: 'number',
    });
  });

  it('a choice of rules is documented as one: nothing but null stands beside a type', () => {
    const either = z.union([text(3), id]);
    const anyOf = [schemaOf(text(3)), schemaOf(id)];
    expect(schemaOf(either)).toStrictEqual({ anyOf });
    expect(schemaOf(either.nullable())).toStrictEqual({ anyOf: [{ anyOf }, { type: 'null' }] });
    expect(schemaOf(z.union([text(3)]))).toStrictEqual({ anyOf: [anyOf[0]] });
  });

  it('a rule that only the parser knows cannot be published', () => {
    expect(() => schemaOf(z.custom(Boolean))).toThrow();
    expect(() => schemaOf(z.custom(Boolean).describe('why'))).toThrow();
  });
});

describe('the rules of a record', () => {
  const inner = record('Range', 'From and to.', { from: natural, to: natural }).refine(({ from, to }) => from <= to, {
    path: ['to'],
    error: 'must not be before from',
  });
  const outer = contract(record('Outer', 'An id and a range.', { id, range: inner, note: text(3).optional() }));
  const good = { id: 1, range: { from: 1, to: 1 } };

  it.each([
    [[], 'data: must be an object'],
    [{ ...good, id: 0 }, 'id: must be an integer in [1, 2^53)'],
    [{ ...good, range: null }, 'range: must be an object'],
    [{ ...good, range: { from: 1, to: -1 } }, 'range.to: must be an integer in [0, 2^53)'],
    [{ ...good, range: { from: 2, to: 1 } }, 'range.to: must not be before from'],
    [{ ...good, note: 'long' }, 'note: must be text of at most 3 characters'],
    [{ id: 0, note: 'long' }, 'id: must be an integer in [1, 2^53)'],
  ])('the error about %j names the place, and nothing of the content (T-16)', (value, reason) => {
    expect(outer.parse(value)).toEqual({ ok: false, reason });
  });

  it('a rule across the fields of the whole names its field without a place before it', () => {
    expect(contract(inner).parse({ from: 2, to: 1 })).toEqual({ ok: false, reason: 'to: must not be before from' });
  });

  it('is read without unknown members, and without missing ones', () => {
    expect(outer.parse({ ...good, more: 1, range: { ...good.range, more: 1 } })).toStrictEqual({ ok: true, value: good });
    expect(outer.parse({ ...good, note: 'abc' })).toStrictEqual({ ok: true, value: { ...good, note: 'abc' } });
    expect(outer.parse({ note: 'abc', range: { to: 1, from: 1 }, id: 1 })).toStrictEqual({
      ok: true,
      value: { ...good, note: 'abc' },
    });
  });

  it('is written in the order of its definition', () => {
    const read = outer.parse({ note: 'abc', range: { to: 1, from: 1 }, id: 1 });
    expect(JSON.stringify(read)).toBe('{"ok":true,"value":{"id":1,"range":{"from":1,"to":1},"note":"abc"}}');
  });

  it('the documentation agrees with the check: each field, and which are required', () => {
    const integer = { type: 'integer', minimum: 0, maximum: safeMax };
    expect(outer.schema).toEqual({
      title: 'Outer',
      description: 'An id and a range.',
      type: 'object',
      required: ['id', 'range'],
      properties: {
        id: schemaOf(id),
        range: {
          title: 'Range',
          description: 'From and to.',
          type: 'object',
          required: ['from', 'to'],
          properties: { from: integer, to: integer },
        },
        note: { type: 'string', maxLength: 3 },
      },
    });
  });

  it('is documented in the order of reading: what it is, then its parts', () => {
    expect(Object.keys(outer.schema)).toEqual(['title', 'description', 'type', 'required', 'properties']);
  });
});

class Body {
  @IsId()
  id: unknown = 1;

  @IsId({ each: true })
  ids: unknown = [1];

  @IsIdText()
  text: unknown = '1';
}

const refused = (over: Partial<Body>) => validateSync(Object.assign(new Body(), over)).map(({ property }) => property);

describe('ids (A-57)', () => {
  it.each([1, 1_001, Number.MAX_SAFE_INTEGER])('%d is an id, as a number and as text', id => {
    expect([idOf(String(id)), refused({ id, ids: [id], text: String(id) })]).toEqual([id, []]);
  });

  it.each([0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1, '1', null])('the JSON value %j is no id', id => {
    expect(refused({ id, ids: [1, id] })).toEqual(['id', 'ids']);
  });

  it.each(['', '0', '01', '-1', '1.5', '1e3', ' 1', '1\n', '9007199254740992', '9'.repeat(17), 'abc'])(
    'the text %j is no id',
    text => {
      expect([idOf(text), refused({ text })]).toEqual([undefined, ['text']]);
    },
  );
});
