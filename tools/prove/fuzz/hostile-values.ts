import fc from 'fast-check';

/** Text as the bytes of its UTF-8 form, one character each ("binary" string): so that what is no UTF-8 at all can stand beside it. */
const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

const range = (first: number, last: number) => fc.integer({ min: first, max: last }).map(point => String.fromCodePoint(point));

/** One character of each class of code points that programs treat differently. */
const characterClasses: Record<string, fc.Arbitrary<string>> = {
  nul: fc.constant('\0'),
  c0: range(0x01, 0x1f),
  del: fc.constant('\x7f'),
  c1: range(0x80, 0x9f),
  quote: fc.constantFrom('"', "'", '\\', '`', '<', '>', '&', '%', ';', '$', '{', '}', '\u2028', '\u2029'),
  space: fc.constantFrom('\u00a0', '\u2003', '\u3000', '\u200b', '\ufeff'),
  bidi: fc.constantFrom('\u202a', '\u202b', '\u202d', '\u202e', '\u2066', '\u2067', '\u2069', '\u200f', '\u061c'),
  combining: range(0x0300, 0x036f),
  latin: range(0xa1, 0x24f),
  private: range(0xe000, 0xf8ff),
  noncharacter: fc.constantFrom('\ufdd0', '\ufffe', '\uffff', '\u{1fffe}', '\u{10ffff}'),
  astral: range(0x1f300, 0x1faff),
  digit: fc.constantFrom('٣', '３', '߁', '𝟙'),
};

/** Bytes that are no UTF-8: lone continuation, overlong, surrogate halves, beyond the last code point, cut off. */
const invalidUtf8 = [
  '\x80',
  '\xff',
  '\xc0\x80',
  '\xc0\xae',
  '\xed\xa0\x80',
  '\xed\xb0\x80',
  '\xf4\x90\x80\x80',
  '\xe2\x82',
  '\xf0\x9f',
];

const sizes = [0, 1, 45, 46, 128, 255, 256, 257, 1_024, 2_048, 2_049, 8_193, 65_536, 300_000];

const depths = [31, 32, 33, 100_000];

export const numbers = [
  ...[
    '0',
    '-0',
    '-1',
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
  ],
  ...[
    '25.50',
    '25.5',
    '0.1e1',
    '1E2',
    '1.',
    '.5',
    '+1',
    '01',
    '0x10',
    'NaN',
    'Infinity',
    '99999999999999999999',
    '1e21',
    '0.000001',
  ],
  ...['9223372036854775807', '9223372036854775808', '2147483648', '-2147483649', '9'.repeat(400), `0.${'1'.repeat(400)}`],
];

/** Hostile text of at most `lengthMax` bytes. */
export function hostileText(lengthMax: number): fc.Arbitrary<string> {
  const around = fc.constantFrom('', 'a', 'abc');
  const ofClass = fc.tuple(around, fc.oneof(...Object.values(characterClasses)), around).map(parts => utf8(parts.join('')));
  const broken = fc.tuple(around, fc.constantFrom(...invalidUtf8), around).map(parts => parts.join(''));
  const sized = fc.constantFrom(...sizes.filter(size => size <= lengthMax)).map(size => 'a'.repeat(size));
  const mixed = fc.array(fc.oneof(...Object.values(characterClasses)), { maxLength: 12 }).map(parts => utf8(parts.join('')));
  return fc.oneof(
    { weight: 4, arbitrary: ofClass },
    { weight: 2, arbitrary: broken },
    { weight: 1, arbitrary: sized },
    { weight: 1, arbitrary: mixed },
    { weight: 1, arbitrary: fc.constantFrom(...tricks) },
  );
}

/** Texts that mean something to an interpreter behind the platform. */
const tricks = [
  ...[
    "' or 1=1 --",
    '${jndi:ldap://127.0.0.1/x}',
    '{{7*7}}',
    '<script>alert(1)</script>',
    '__proto__',
    'constructor',
    '../../etc/passwd',
  ],
  ...[
    '%00',
    '%0d%0aSet-Cookie:a=b',
    '%s%n',
    '\r\nX-Injected: 1',
    'null',
    'undefined',
    'true',
    '[]',
    '{}',
    '=cmd()',
    'http://127.0.0.1:1/',
  ],
];

/** One hostile JSON value, as the bytes that stand in the body. */
export function hostileJson(): fc.Arbitrary<string> {
  const raw = hostileText(300_000).map(text => `"${text.replace(/["\\]/g, '\\$&')}"`);
  const escaped = fc
    .oneof(...Object.values(characterClasses), range(0xd800, 0xdbff), range(0xdc00, 0xdfff))
    .map(character => `"x${escape(character)}"`);
  return fc.oneof(
    { weight: 4, arbitrary: raw },
    { weight: 4, arbitrary: escaped },
    { weight: 3, arbitrary: fc.constantFrom(...numbers) },
    { weight: 1, arbitrary: fc.constantFrom(...numbers).map(number => `"${number}"`) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('null', 'true', 'false', '""', '{}', '[]', '[null]', '[[]]', '[1,2]', '{"length":1}'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '{"__proto__":{"admin":true}}',
        '{"toString":1}',
        '{"constructor":{"prototype":{}}}',
        '{"a":1,"a":2}',
      ),
    },
    { weight: 1, arbitrary: nested() },
  );
}

function nested(): fc.Arbitrary<string> {
  const shapes = fc.constantFrom<[string, string]>(['[', ']'], ['{"a":', '}'], ['[{"a":', '}]']);
  return fc
    .tuple(shapes, fc.constantFrom(...depths))
    .map(([[open, shut], depth]) => `${open.repeat(depth)}1${shut.repeat(depth)}`);
}

/** `\uXXXX` of each code unit. */
function escape(text: string): string {
  return [...Array(text.length).keys()].map(at => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}
