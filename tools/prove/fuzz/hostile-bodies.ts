import fc from 'fast-check';
import { hostileJson } from './hostile-values.ts';

/** Placeholder for the hostile value in the text of a body; no generator makes this text. */
const mark = '@@hostile@@';

/** Bodies made from a valid one (its JSON text, bytes as characters): one value replaced, a member added, doubled or left out, or no JSON at all. */
export function hostileBody(valid: string): fc.Arbitrary<string> {
  const value: unknown = JSON.parse(valid);
  const places = placesOf(value);
  const replaced = fc
    .tuple(fc.constantFrom(...places), hostileJson())
    .map(([place, hostile]) => fill(replace(value, place), hostile));
  const added = fc
    .tuple(fc.constantFrom('__proto__', 'constructor', 'toString', '', '\\u0000', 'x'.repeat(5_000)), hostileJson())
    .map(([name, hostile]) => `{"${name}":${hostile}${valid.startsWith('{') && valid !== '{}' ? `,${valid.slice(1)}` : '}'}`);
  const without = fc.constantFrom(...places).map(place => JSON.stringify(replace(value, place, undefined)) ?? '');
  return fc.oneof(
    { weight: 8, arbitrary: replaced },
    { weight: 1, arbitrary: added },
    { weight: 1, arbitrary: doubled(valid) },
    { weight: 1, arbitrary: without },
    { weight: 1, arbitrary: fc.constantFrom(...noJson(valid)) },
    { weight: 1, arbitrary: hostileJson() },
  );
}

type Place = (string | number)[];

/** Paths of all values inside a value, itself included. */
function placesOf(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inner = Object.entries(value).flatMap(([key, item]) => placesOf(item, [...at, key]));
  return [at, ...inner];
}

function replace(value: unknown, [first, ...rest]: Place, by: unknown = mark): unknown {
  if (first === undefined) return by;
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === first ? replace(item, rest, by) : (item as unknown)));
  const copy: [string, unknown][] = Object.entries(value as object).map(([key, item]) => [
    key,
    key === first ? replace(item, rest, by) : item,
  ]);
  return Object.fromEntries(copy);
}

function fill(value: unknown, hostile: string): string {
  return JSON.stringify(value).replace(`"${mark}"`, () => hostile);
}

/** A member twice: as it is, and with its name escaped. */
function doubled(valid: string): fc.Arbitrary<string> {
  const first = /^\{"(\w)(\w*)":/.exec(valid);
  if (!first) return fc.constant('{"a":1,"a":2}');
  const [, letter = '', rest = ''] = first;
  const code = letter.charCodeAt(0).toString(16).padStart(4, '0');
  return fc.constantFrom(`{"${letter}${rest}":null,${valid.slice(1)}`, `{"\\u${code}${rest}":"x",${valid.slice(1)}`);
}

function noJson(valid: string): string[] {
  return [
    ...[
      '',
      ' ',
      '\0',
      'null',
      'true',
      '1',
      '"x"',
      '[]',
      '{',
      '[',
      '{"a"',
      '{"a":1,}',
      "{'a':1}",
      '{a:1}',
      '/**/{}',
      '[1,,2]',
      '}{',
      'a=1&b=2',
    ],
    ...[valid.slice(0, -1), `${valid}x`, `${valid}${valid}`, `\xef\xbb\xbf${valid}`, `${valid}\0`, ` ${valid}\n`, `${valid}//`],
    ...[
      Buffer.from(valid, 'utf16le').toString('latin1'),
      '\xff\xfe',
      '\x1f\x8b\x08\0',
      `{"a":"${'x'.repeat(300_000)}"}`,
      '\u0085'.concat(valid),
    ],
    ...['['.repeat(100_000), '{"a":'.repeat(50_000), `[${'0,'.repeat(50_000)}0]`, `{${'"a":1,'.repeat(20_000)}"a":1}`],
  ];
}
