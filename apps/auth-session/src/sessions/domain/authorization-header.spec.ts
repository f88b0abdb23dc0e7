import fc from 'fast-check';
import { chooseCredential, isJwtShaped } from './authorization-header';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const kindOf = (...lines: string[]) => chooseCredential(lines).kind;

const token68 = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
const jwt = fc.tuple(token68, token68, token68).map(parts => parts.join('.'));
const username = fc.stringMatching(/^[^:]{1,20}$/).filter(text => text.isWellFormed());
const password = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter(text => text.isWellFormed());
const bearerLine = jwt.map(token => `Bearer ${token}`);
const basicLine = fc.tuple(username, password).map(([user, secret]) => basic(`${user}:${secret}`));
const anyLine = fc.oneof(
  bearerLine,
  basicLine,
  fc.string({ maxLength: 40 }),
  fc.constantFrom('', 'Bearer', 'Basic', 'Bearer  ', ','),
);

describe('the credential of a request', () => {
  it.each([
    ['A-25', [], 'NONE'],
    ['R-5.1-1', [basic('psp-1:secret')], 'BASIC'],
    ['R-5.2-1', ['Bearer a.b.c'], 'BEARER'],
    ['R-5.2-1', ['Bearera.b.c'], 'MALFORMED'],
    ['R-7-3', ['a.b.c'], 'MALFORMED'],
    ['R-7-3', ['Bearer'], 'MALFORMED'],
    ['R-7-3', ['Bearer '], 'MALFORMED'],
    ['R-7-3', [''], 'MALFORMED'],
    ['R-7-3 A-24', ['Bearer abc'], 'MALFORMED'],
    ['R-7-3 A-24', ['Bearer a.b.c.d'], 'MALFORMED'],
    ['R-7-3', ['Bearer a.b.c extra'], 'MALFORMED'],
    ['R-7-3', ['Token a.b.c'], 'MALFORMED'],
    ['R-7-3', ['Digest username="psp-1", realm="x"'], 'MALFORMED'],
    ['A-24 alg none', ['Bearer a.b.'], 'BEARER'],
    ['R-7-1', ['Basic'], 'BASIC_UNREADABLE'],
    ['R-7-1', ['Basic !!'], 'MALFORMED'],
    ['R-7-1', [basic('no colon')], 'BASIC_UNREADABLE'],
    ['R-7-1', [`Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`], 'BASIC_UNREADABLE'],
    ['A-19', [basic('a:b'), 'Bearer a.b.c'], 'BEARER'],
    ['A-19', ['Bearer a.b.c', basic('a:b')], 'BEARER'],
    ['A-19', [`${basic('a:b')}, Bearer a.b.c`], 'BEARER'],
    ['A-19', [basic('a:b'), 'Bearer nonsense'], 'MALFORMED'],
    ['A-19', ['Bearer a.b.c', 'Bearer d.e.f'], 'MALFORMED'],
    ['A-19', ['Bearer a.b.c', 'Bearer a.b.c'], 'BEARER'],
    ['A-19', [basic('a:b'), basic('c:d')], 'BASIC_UNREADABLE'],
    ['A-19', ['Bearer a.b.c', 'Basic'], 'BEARER'],
    ['R-7-1', [basic('no-password:')], 'BASIC_UNREADABLE'],
    ['R-7-1', [basic(':no name')], 'BASIC_UNREADABLE'],
    ['R-7-1 base64url', [`Basic ${Buffer.from('ab:???').toString('base64url')}`], 'BASIC_UNREADABLE'],
    ['R-7-1', [basic('a\u0000b:secret')], 'BASIC_UNREADABLE'],
    ['R-7-1', [basic('psp-1:se\ncret')], 'BASIC_UNREADABLE'],
    ['R-7-1', [basic('psp-1:secret\u007f')], 'BASIC_UNREADABLE'],
    ['T-04', Array.from({ length: 8 }, () => 'Bearer a.b.c'), 'BEARER'],
    ['T-04', Array.from({ length: 9 }, () => 'Bearer a.b.c'), 'MALFORMED'],
    ['T-04', [`Bearer a.b.${'c'.repeat(9_000)}`], 'MALFORMED'],
  ])('%s: %j is %s', (_, lines, kind) => {
    expect(kindOf(...lines)).toBe(kind);
  });

  it('a line of 8192 characters is read, a longer one is not, whatever is beside it (T-04)', () => {
    const line = (chars: number) =>
      `Basic ${Buffer.from('a:'.padEnd(chars, 'b'))
        .toString('base64')
        .slice(0, chars - 6)}`;
    expect([line(8_192).length, kindOf(line(8_192))]).toEqual([8_192, 'BASIC']);
    expect(kindOf(line(8_193))).toBe('MALFORMED');
    expect(kindOf(line(8_193), basic('a:b'))).toBe('MALFORMED');
  });

  it('a token in a body may be as long as one in a header (A-26, T-04)', () => {
    const token = (chars: number) => 'a.b.'.padEnd(chars, 'c');
    expect([isJwtShaped(token(8_192)), isJwtShaped(token(8_193))]).toEqual([true, false]);
  });

  it('Basic splits at the first colon, so a password may hold colons (R-5.1-1)', () => {
    fc.assert(
      fc.property(username, password, (user, secret) => {
        const credential = chooseCredential([basic(`${user}:${secret}`)]);
        expect(credential).toEqual({ kind: 'BASIC', username: user, password: secret });
      }),
    );
  });

  it('a byte order mark is part of the name, so that no two spellings name one account (R-5.1-1)', () => {
    expect(chooseCredential([basic('\ufeffpsp-1:secret')])).toEqual({
      kind: 'BASIC',
      username: '\ufeffpsp-1',
      password: 'secret',
    });
  });

  it('as soon as one line is a Bearer line, nothing makes the request a Basic one (R-5.2-2, A-19)', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 4 }), bearerLine, fc.nat(4), (lines, bearer, at) => {
        const kind = kindOf(...lines.toSpliced(at, 0, bearer));
        expect(['BEARER', 'MALFORMED']).toContain(kind);
      }),
    );
  });

  it('neither the order of lines nor joining them with commas changes what the request is (A-19)', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(bearerLine, basicLine), { minLength: 1, maxLength: 4 }), lines => {
        const credential = chooseCredential(lines);
        expect(chooseCredential(lines.toReversed())).toEqual(credential);
        expect(chooseCredential([lines.join(', ')])).toEqual(credential);
      }),
    );
  });

  it('RFC 9110 11.1: the case of the scheme and extra blanks after it change nothing', () => {
    fc.assert(
      fc.property(fc.oneof(bearerLine, basicLine), fc.constantFrom('bEARER', 'BASIC', 'basic', 'bearer'), (line, scheme) => {
        const [original, parameter] = line.split(' ') as [string, string];
        fc.pre(original.toLowerCase() === scheme.toLowerCase());
        expect(chooseCredential([`${scheme}   ${parameter} `])).toEqual(chooseCredential([line]));
      }),
    );
  });

  it('never throws, whatever the lines', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 5 }), lines => {
        expect(chooseCredential(lines).kind).toEqual(expect.any(String));
      }),
    );
  });

  it('the classifier of tokens in bodies is the one of the header (A-26)', () => {
    fc.assert(
      fc.property(fc.oneof(jwt, fc.string({ maxLength: 30 })), token => {
        const asHeader = kindOf(`Bearer ${token}`);
        // Only in a header do commas separate credentials and blanks pad them.
        fc.pre(!/[,\s]/.test(token));
        expect(asHeader === 'BEARER').toBe(isJwtShaped(token));
      }),
    );
  });
});
