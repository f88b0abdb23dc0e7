import fc from 'fast-check';
import { hostileText } from './hostile-values.ts';

type Headers = [string, string][];

/** Replaces CR and LF, which end a field line: broken lines are cases of framing. */
const inOneLine = (text: string) => text.replace(/[\r\n]/g, ' ');
const headerBytesMax = 2_049;

const names = [
  ...[
    'Accept',
    'Accept-Encoding',
    'Accept-Language',
    'Content-Type',
    'Content-Encoding',
    'Cookie',
    'Forwarded',
    'Host',
    'If-None-Match',
  ],
  ...['Origin', 'Range', 'Referer', 'User-Agent', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP'],
  ...[
    'X-HTTP-Method-Override',
    'X-Original-URL',
    'X-Request-Id',
    'X-Paycode-Identity',
    'Traceparent',
    'Tracestate',
    'Connection',
    'Upgrade',
    'TE',
  ],
];

const known: Headers[] = [
  [['Content-Type', 'text/plain']],
  [['Content-Type', 'application/json; charset=utf-16']],
  [['Content-Type', 'application/json;'.concat('a=b;'.repeat(500))]],
  [['Content-Type', 'multipart/form-data; boundary=x']],
  [['Content-Encoding', 'gzip']],
  [['Expect', '100-continue']],
  [['Expect', 'x']],
  [['Range', 'bytes=0-0,1-1']],
  [['Accept', 'text/plain;q=0']],
  [['Connection', 'Authorization, Content-Type']],
  [
    ['Upgrade', 'h2c'],
    ['Connection', 'Upgrade, HTTP2-Settings'],
    ['HTTP2-Settings', 'AAMAAABkAAQAAP__'],
  ],
  [['X-Large', 'x'.repeat(20_000)]],
  [['X-Request-Id', 'x'.repeat(5_000)]],
  Array.from({ length: 300 }, (_, at) => [`X-Many-${at}`, '1']),
];

/** One or several hostile header fields. */
export function hostileHeader(): fc.Arbitrary<Headers> {
  const value = hostileText(headerBytesMax).map(inOneLine);
  const made = fc.tuple(fc.constantFrom(...names), value).map((field): Headers => [field]);
  return fc.oneof({ weight: 3, arbitrary: made }, { weight: 1, arbitrary: fc.constantFrom(...known) });
}

const base64 = (bytes: string) => Buffer.from(bytes, 'latin1').toString('base64');
const token = (header: object, payload: object, signature = 'AAAA') =>
  `${[header, payload].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.${signature}`;

const forged = [
  token({ alg: 'none' }, { sub: 'psp-1' }, ''),
  token({ alg: 'HS256', kid: '../../dev/null' }, { sub: 'psp-1', exp: 4_102_444_800 }),
  token({ alg: 'ES256', kid: '\0' }, { sub: '\0', jti: '\0' }),
  token({ alg: 'ES256', kid: { a: 1 } }, { sub: ['psp-1'] }),
  token({ alg: 'ES256', jwk: {}, crit: ['x'] }, { exp: Number.MAX_VALUE }),
  ...['.', '..', '...', 'a.b.c', 'null', '[object Object]', 'e30.e30.', `${'a'.repeat(8_000)}.b.c`],
];

/** Authorization fields: Basic with hostile names and passwords, Bearer with what no token is, other schemes, several at once. */
export function hostileCredential(): fc.Arbitrary<Headers> {
  const name = hostileText(2_049);
  const basic = fc.tuple(name, fc.constantFrom(':', ''), name).map(parts => `Basic ${base64(parts.join(''))}`);
  const unreadable = hostileText(headerBytesMax).map(text => `Basic ${inOneLine(text)}`);
  const bearer = fc.oneof(hostileText(headerBytesMax), fc.constantFrom(...forged)).map(text => `Bearer ${inOneLine(text)}`);
  const other = fc.constantFrom(
    'Digest username="a"',
    'Negotiate YII=',
    'Basic',
    'Bearer',
    '',
    ' ',
    'bAsIc  Og==',
    'Bearer Bearer x',
    ',',
    'Basic Og==, Bearer x',
  );
  const one = fc.oneof({ weight: 4, arbitrary: basic }, unreadable, { weight: 2, arbitrary: bearer }, other);
  return fc.oneof(
    { weight: 6, arbitrary: one.map((value): Headers => [['Authorization', value]]) },
    { weight: 1, arbitrary: fc.tuple(one, one).map((values): Headers => values.map(value => ['Authorization', value])) },
  );
}
