/**
 * Hostile parts of requests, as tables. A text holds one byte per character, so that bytes that are no UTF-8 can stand in it. Values that a schema
 * describes come from Schemathesis (npm run test:contracts); the values here are those that it does not send.
 */

/** The items of the rows, which `|` separates. */
const list = (...rows: string[]): string[] => rows.join('|').split('|');
const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const percent = (bytes: string): string =>
  Array.from(bytes, byte => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`).join('');

/** NUL, controls, quotes, blanks, directions, combining marks, noncharacters, characters of four bytes, digits of other scripts. */
const characters = list(
  '\0|\x01|\x1f|\x7f|\u0080|\u0085|\u009f|"|\'|\\|`|<|>|&|%|;|$|{|}|\u2028|\u2029|\u00a0|\u3000|\u200b|\ufeff|\u202a|\u202e|\u2066',
  '\u200f|\u061c|\u0300|\u036f|é|\ue000|\ufdd0|\ufffe|\uffff|\u{1fffe}|\u{10ffff}|\u{1f600}|٣|３|𝟙',
);
/** A lone continuation, overlong forms, halves of surrogates, beyond the last code point, cut off. */
const invalidUtf8 = list('\x80|\xff|\xc0\x80|\xc0\xae|\xed\xa0\x80|\xed\xb0\x80|\xf4\x90\x80\x80|\xe2\x82|\xf0\x9f');
/** Texts that mean something to an interpreter behind the platform. */
const commands = list(
  "' or 1=1 --|${jndi:ldap://127.0.0.1/x}|{{7*7}}|<script>alert(1)</script>|__proto__|constructor|../../etc/passwd|%00|%s%n|null|=cmd()",
  '%0d%0aSet-Cookie:a=b|\r\nX-Injected: 1|undefined|true|[]|{}|http://127.0.0.1:1/',
);
const sized = (max: number) =>
  [0, 1, 46, 129, 257, 2_049, 8_193, 65_536, 300_000].filter(size => size <= max).map(size => 'a'.repeat(size));
const numbers = list(
  '0|-0|-1|1e400|-1e400|1e-400|9007199254740991|9007199254740993|-9007199254740993|25.50|0.1e1|1E2|1.|.5|+1|01|0x10|NaN|Infinity|1e21',
  '99999999999999999999|0.000001|9223372036854775808|2147483648|-2147483649',
).concat('9'.repeat(400), `0.${'1'.repeat(400)}`);

/** Other forms of ISO 8601, instants that do not exist, and amounts and integers as people and other programs write them. */
const otherForms = list(
  '2026|2026-W10-1|2026-123|20260101T000000Z|2026-01-01T24:00:00Z|2026-12-31T23:59:60Z|0000-01-01T00:00:00Z|+010000-01-01T00:00:00Z',
  '2026-01-01T00:00:00-00:00|2026-01-01T00:00:00+2400|2026-01-01t00:00:00z|2026-01-01T00:00:00,5Z|2026-01-01T00:00:00.1234567890Z|infinity',
  '007.50|1,50|1e2|+5|1_000|-Infinity|0b1|100.000|MS4x!|OTk5OTk5OTk5OTk5OTk5OTk5OS4x|HRK|CLF',
);

export const hostileTexts = (sizeMax: number): string[] => [
  ...[...characters, ...characters.slice(0, 4).map(each => `abc${each}abc`)].map(utf8),
  ...invalidUtf8.flatMap(bytes => [bytes, `a${bytes}b`]),
  ...[...commands, ...otherForms, ...sized(sizeMax)],
];

/** Deep nesting: around the limit of the platform, and far beyond it. */
const nested = [32, 33, 100_000].flatMap(depth =>
  list('[,]|{"a":,}|[{"a":,}]')
    .map(shape => shape.split(',') as [string, string])
    .map(([open, shut]) => `${open.repeat(depth)}1${shut.repeat(depth)}`),
);

/** Hostile JSON values, as they stand in the body. `\ud800` is a lone surrogate, which no UTF-8 can carry. */
export const hostileJson: readonly string[] = [
  ...hostileTexts(300_000).map(text => `"${text.replace(/["\\]/g, '\\$&')}"`),
  ...list('\\u0000|x\\u0000x|\\ud800|\\udc00|\\udc00\\ud800|\\uffff|\\u202e|\\u0007').map(text => `"${text}"`),
  ...numbers.flatMap(number => [number, `"${number}"`]),
  ...list('null|true|false|""|{}|[]|[null]|[[]]|[1,2]|{"length":1}|{"__proto__":{"admin":true}}|{"toString":1}|{"a":1,"a":2}'),
  '{"constructor":{"prototype":{}}}',
  ...nested,
];

/** Names of members that no schema has; two are escaped in the text. */
export const hostileMembers = [...list('__proto__|constructor|toString||\\u0000|\\ud800'), 'x'.repeat(5_000)];

/** Bodies instead of the valid one. */
export const hostileBodies = (valid: string): string[] => [
  ...list(
    '| |\0|null|true|1|"x"|[]|{|[|{"a"|{"a":1,}|{\'a\':1}|{a:1}|/**/{}|[1,,2]|}{|a=1&b=2|\xff\xfe|\x1f\x8b\x08\0|{"a":1,"a":2}',
  ),
  ...[
    valid.slice(0, -1),
    `${valid}x`,
    `${valid}${valid}`,
    `\xef\xbb\xbf${valid}`,
    `${valid}\0`,
    ` ${valid}\n`,
    `${valid}//`,
    `\x85${valid}`,
  ],
  ...[
    Buffer.from(valid, 'utf16le').toString('latin1'),
    `{"a":"${'x'.repeat(300_000)}"}`,
    '['.repeat(100_000),
    '{"a":'.repeat(50_000),
  ],
  ...[`[${'0,'.repeat(50_000)}0]`, `{${'"a":1,'.repeat(20_000)}"a":1}`],
];

/** HTTP permits no blank and no line break in a target. */
const inOneTarget = (text: string): string => text.replace(/[\r\n\t ]/g, percent).replaceAll('\0', '%00');

/** Segments of a path, or values of a query parameter. */
export const hostileSegments: readonly string[] = [
  ...hostileTexts(2_049).map(percent),
  ...[...hostileTexts(2_049), ...numbers].map(inOneTarget),
  ...list(
    '.|..|...|%2e|%2e%2e|%2E%2e%2F|..%2f..%2f|%2f|%5c|\\|..\\|;|;a=b|*|%|%2|%zz|%u0000|%0a|%0d%0a|%c0%ae|%c0%af|%ff|%ed%a0%80|%25%32%65',
  ),
  ...list('%252f|//|/|?|#|%23|%3f|~|@|:80|HTTP|1%20|+1|%201').concat('a'.repeat(513), 'a'.repeat(5_000), '%41'.repeat(300)),
];

export const hostileQueries: readonly string[] = list(
  'a=|a[]=|a[b]=|__proto__=|identity=|since[]=|since[a]=|since=&since=|limit=|cursor=|=',
).flatMap(name => list('|%00|%ff|a|%zz|[]|&&|%ed%a0%80').map(value => name + value));

/** Spellings of a whole target. Some name another resource. */
export function hostileTargets(path: string): string[] {
  const plain = path.replace(/\{\w+\}/g, '1');
  const escaped = `/%${plain.charCodeAt(1).toString(16)}${plain.slice(2)}`;
  return [
    ...[...list('/|//|/.|/..|;x|%20|%00|?%|?a=%00|#x'), `?${'a=1&'.repeat(2_000)}`].map(end => `${plain}${end}`),
    ...list('/|/.|/x/..|http://x|https://localhost|HTTP://127.0.0.1:1|//x|x|?|#').map(start => `${start}${plain}`),
    ...[escaped, plain.replaceAll('/', '%2f'), plain.replaceAll('/', '\\'), plain.toUpperCase(), `/${'a/'.repeat(2_000)}`],
    ...list(
      '*|/%69nternal/accounts/psp-1|http://x/internal/accounts/psp-1|/internal/../internal/jwks|/metrics|/health/ready|/%6detrics',
    ),
  ];
}

/** CR and LF end a field line: broken lines are among the framings. */
const inOneLine = (text: string): string => text.replace(/[\r\n]/g, ' ');
const fieldNames = list(
  'Accept|Accept-Encoding|Accept-Language|Content-Type|Content-Encoding|Cookie|Forwarded|Host|If-None-Match|Origin|Range|Referer|TE',
  'User-Agent|Via|X-Forwarded-For|X-Forwarded-Host|X-Forwarded-Proto|X-Real-IP|X-HTTP-Method-Override|X-Original-URL|X-Request-Id',
  'X-Paycode-Identity|Traceparent|Tracestate|Connection|Upgrade',
);

const everyEighth = (texts: string[], first: number): string[] => texts.filter((_, at) => at % 8 === first % 8);

/** Field lines, several of them separated by a line break. */
export const hostileHeaders: readonly string[] = [
  ...fieldNames.flatMap((name, turn) => everyEighth(hostileTexts(2_049), turn).map(text => `${name}: ${inOneLine(text)}`)),
  ...list(
    'Content-Type: text/plain|Content-Type: application/json; charset=utf-16|Content-Type: multipart/form-data; boundary=x',
  ),
  ...list('Content-Encoding: gzip|Expect: 100-continue|Expect: x|Range: bytes=0-0,1-1|Accept: text/plain;q=0'),
  'Connection: Authorization, Content-Type',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  ...[
    `Content-Type: application/json;${'a=b;'.repeat(500)}`,
    `X-Large: ${'x'.repeat(20_000)}`,
    `X-Request-Id: ${'x'.repeat(5_000)}`,
  ],
  Array.from({ length: 300 }, (_, at) => `X-Many-${at}: 1`).join('\r\n'),
];

const base64 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('base64');
const token = (header: object, payload: object, signature = 'AAAA'): string =>
  `${[header, payload].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.${signature}`;
const forged = [
  token({ alg: 'none' }, { sub: 'psp-1' }, ''),
  token({ alg: 'HS256', kid: '../../dev/null' }, { sub: 'psp-1', exp: 4_102_444_800 }),
  token({ alg: 'ES256', kid: '\0' }, { sub: '\0', jti: '\0' }),
  token({ alg: 'ES256', kid: { a: 1 } }, { sub: ['psp-1'] }),
  token({ alg: 'ES256', jwk: {}, crit: ['x'] }, { exp: Number.MAX_VALUE }),
  ...list('.|..|...|a.b.c|null|[object Object]|e30.e30.'),
  `${'a'.repeat(8_000)}.b.c`,
];

/** Authorization fields: Basic with hostile names and passwords, Bearer with forged tokens, other schemes, two at once. */
export const hostileCredentials: readonly string[] = [
  ...hostileTexts(2_049).flatMap(text => [
    `Basic ${base64(`${text}:x`)}`,
    `Basic ${base64(`x:${text}`)}`,
    `Basic ${base64(text)}`,
  ]),
  ...hostileTexts(2_049).flatMap(text => [`Basic ${inOneLine(text)}`, `Bearer ${inOneLine(text)}`]),
  ...forged.map(each => `Bearer ${each}`),
  ...list('Digest username="a"|Negotiate YII=|Basic|Bearer|| |bAsIc  Og==|Bearer Bearer x|,|Basic Og==, Bearer x'),
  ...['Basic Og==\r\nAuthorization: Bearer a.b.c', 'Bearer a.b.c\r\nAuthorization: Basic Og=='],
].map(value => `Authorization: ${value}`);

/** An answer to this second request in the bytes of the first one is a finding. */
const smuggled = 'GET /public/assets/pay.css HTTP/1.1\r\nHost: localhost\r\n\r\n';
const json = 'Content-Type: application/json\r\n';
const chunked = 'Transfer-Encoding: chunked\r\n';
const close = 'Connection: close\r\n';

const contradictions = [
  `${json}Content-Length: 4\r\n${chunked}\r\n0\r\n\r\n${smuggled}`,
  `${json}${chunked}Content-Length: 6\r\n\r\n0\r\n\r\n${smuggled}`,
  `${json}Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  `${json}Content-Length: 0, 0\r\n\r\n${smuggled}`,
];
const lengths = list('-1|+2|0x2|2 2|2,3|1e1|99999999999999999999|9007199254740993|| |2_0|٣|\0');
const codings = list(
  'gzip, chunked|chunked, chunked|identity|xchunked|chunked;q=1|"chunked"|chunked\x0b|\x0bchunked|chunked,|,chunked|deflate',
  'chunked, identity|Chunked\0| chunked\t ',
);
const chunks = [
  ...list(
    '-1\r\n\r\n|0x2\r\n{}\r\n0\r\n\r\n|g\r\n\r\n|2;\0\r\n{}\r\n0\r\n\r\n|2\n{}\n0\n\n|2\r\n{}0\r\n\r\n|2\r\n{}\r\n0\r\nX: y\r\n\r\n',
  ),
  ...list('ffffffffffffffff1\r\n{}|2 \r\n{}\r\n0\r\n\r\n|\r\n2\r\n{}|2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n'),
  ...[
    `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    `0\r\n${'X: y\r\n'.repeat(3_000)}\r\n`,
    `${'0'.repeat(5_000)}2\r\n{}\r\n0\r\n\r\n`,
  ],
];
const fieldLines = [
  ...list(
    'X: a\r\n folded|X : a| X: a|: a|X|X: a\rb|X: a\0b|X\0: a|X(: a|X\x80: a|Host: a\r\nHost: b|Host: a b|Host: a/b|Host: \0|Host: user@x',
  ),
  ...list('Upgrade: websocket\r\nConnection: Upgrade|Content-Length: 5|Expect: 100-continue\r\nContent-Length: 2'),
  ...[
    'X: a\nY: b',
    `X: ${'x'.repeat(70_000)}`,
    'HTTP2-Settings: x\r\nUpgrade: h2c',
    '\r\n\r\n',
    'X: y\r\n'.repeat(2_999).concat('X: y'),
  ],
];

/**
 * Texts after a request line: header fields and body, each broken in one way. With `Connection: close` the answer to a readable request
 * ends the connection, so a second answer belongs to a smuggled request.
 */
export const hostileFramings: readonly string[] = [
  ...contradictions.map(text => close + text),
  ...lengths.map(length => `${close}${json}Content-Length: ${length}\r\n\r\n{}`),
  ...codings.map(coding => `${close}${json}Transfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
  ...chunks.map(body => `${close}${json}${chunked}\r\n${body}`),
  ...fieldLines.map(line => `${close}${line}\r\n\r\n`),
];
