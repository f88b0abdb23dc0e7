import fc from 'fast-check';
import { hostileText, numbers } from './hostile-values.ts';

const percent = (bytes: string) =>
  Array.from(bytes, character => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`).join('');

/** Replaces characters that HTTP permits in no request target. */
const inOneTarget = (text: string) => text.replace(/[\r\n\t ]/g, percent);

const tricks = [
  ...[
    '',
    '.',
    '..',
    '...',
    '%2e',
    '%2e%2e',
    '%2E%2e%2F',
    '..%2f..%2f',
    '%2f',
    '%5c',
    '\\',
    '..\\',
    ';',
    ';a=b',
    '*',
    '%',
    '%2',
    '%zz',
    '%u0000',
  ],
  ...[
    '%00',
    '%0a',
    '%0d%0a',
    '%c0%ae',
    '%c0%af',
    '%ff',
    '%ed%a0%80',
    '%25%32%65',
    '%252f',
    '//',
    '/',
    '?',
    '#',
    '%23',
    '%3f',
    '~',
    '@',
    ':80',
  ],
  ...[
    'a'.repeat(513),
    'a'.repeat(5_000),
    '%41'.repeat(300),
    '__proto__',
    'constructor',
    'HTTP',
    'null',
    '0'.repeat(40),
    '٣',
    '1%20',
    '+1',
    ' 1',
  ],
];

/** One hostile segment of a path, or value of a query parameter. */
export function hostileSegment(): fc.Arbitrary<string> {
  const encoded = hostileText(2_049).map(percent);
  const raw = hostileText(2_049).map(text => inOneTarget(text).replaceAll('\0', '%00'));
  const few = fc.constantFrom(...numbers, ...tricks).map(inOneTarget);
  return fc.oneof({ weight: 3, arbitrary: encoded }, { weight: 1, arbitrary: raw }, { weight: 3, arbitrary: few });
}

/** Targets of other resources than any operation's. */
const elsewhere = [
  '*',
  '/%69nternal/accounts/psp-1',
  'http://x/internal/accounts/psp-1',
  '/internal/../internal/jwks',
  '/metrics',
  '/health/ready',
  '/%6detrics',
  `/${'a/'.repeat(2_000)}`,
];

/** Spellings of the whole target of an operation. */
export function hostileTargets(path: string): fc.Arbitrary<string> {
  const plain = path.replace(/\{\w+\}/g, '1');
  return fc.constantFrom(...pathTricks(plain), ...otherForms(plain), ...elsewhere);
}

function pathTricks(plain: string): string[] {
  const [, first = '', rest = ''] = /^\/(.)(.*)$/.exec(plain) ?? [];
  const behind = ['/', '//', '/.', '/..', ';x', '%20', '%00', `?${'a=1&'.repeat(2_000)}`, '?%', '?a=%00', '#x'];
  const escaped = `/%${first.charCodeAt(0).toString(16)}${rest}`;
  const respelt = [escaped, plain.replaceAll('/', '%2f'), plain.replaceAll('/', '\\'), plain.toUpperCase()];
  return [...behind.map(end => `${plain}${end}`), ...['/', '/.', '/x/..'].map(start => `${start}${plain}`), ...respelt];
}

function otherForms(plain: string): string[] {
  return ['http://x', 'https://localhost', 'HTTP://127.0.0.1:1', '//x', 'x', '?', '#'].map(start => `${start}${plain}`);
}
