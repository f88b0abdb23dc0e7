import fc from 'fast-check';
import { normalisePath } from './normalise-path';

const reasonFor = (target: string) => {
  const result = normalisePath(target);
  return result.ok ? `accepted as ${result.path}` : result.reason;
};

/** How a router that decodes and folds as much as any known one would read a path. */
function mostLenientReading(rawPath: string): string {
  let path = rawPath;
  for (let round = 0; round < 3; round += 1) {
    path = path.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  path = path
    .replace(/[\\]/g, '/')
    .replace(/;[^/]*/g, '')
    .replace(/\/+/g, '/')
    .replace(/\0.*$/, '');
  return new URL(path.replace(/[?#]/g, '_'), 'http://upstream').pathname;
}

const rules = [
  '/public/',
  '/code/',
  '/purchase/',
  '/remote/',
  '/provision/',
  '/stk/',
  '/internal/',
  '/portal/',
  '/authentication/',
];
/** Ant-style prefix rule that applies to a path, matched the way a careless (case-blind) table would. */
function ruleOf(path: string): string | undefined {
  const rolePath = path.toLowerCase().replace(/^\/pluto(?=\/|$)/, '');
  return rules.find(rule => `${rolePath}/`.startsWith(rule));
}

const segment = fc.oneof(
  fc.constantFrom('pluto', 'public', 'internal', 'code', 'PUBLIC', 'Pluto', '..', '.', '', '%2e%2e', '%2E.', '%2f', '%5c', '%00', '%25',
    '%252e', ';x=1', '..;', '%70luto', 'p%75blic', '\\', '\\..', '%c0%ae', '%', '%4', '%zz', 'é', '\u2025', '\t', ' ', '?', '#', 'create'),
  fc.string({ maxLength: 6, unit: 'binary' }),
); // prettier-ignore
/** Five of six targets are refused, and the property skips them. If it skips far more, it must fail at once. */
const maxSkipsPerRun = 10;
const target = fc.array(segment, { maxLength: 7 }).map(segments => `/${segments.join('/')}`);

describe('the one reading of a request path', () => {
  it('strips one leading /pluto for the role table only (A-47)', () => {
    const readings = ['/pluto/code/create', '/code/create', '/pluto/pluto/code', '/plutocode/x', '/pluto', '/pluto/'].map(
      path => {
        const result = normalisePath(path);
        return result.ok && [result.path, result.rolePath];
      },
    );
    expect(readings).toEqual([
      ['/pluto/code/create', '/code/create'],
      ['/code/create', '/code/create'],
      ['/pluto/pluto/code', '/pluto/code'],
      ['/plutocode/x', '/plutocode/x'],
      ['/pluto', '/'],
      ['/pluto/', '/'],
    ]);
  });

  it.each([
    ['/public/../internal/x', 'dot segment'],
    ['/public/.', 'dot segment'],
    ['/..', 'dot segment'],
    ['//internal', 'empty segment'],
    ['/public//x', 'empty segment'],
    ['/public/..;/internal', 'character not allowed'],
    ['/public;x=1/y', 'character not allowed'],
    ['/public\\..\\internal', 'character not allowed'],
    ['/public/\u0000', 'character not allowed'],
    ['/public/caf\u00e9', 'character not allowed'],
    ['/public/a b', 'character not allowed'],
    ['/public#x', 'character not allowed'],
    ['/public/%2e%2e/internal', 'percent-encoding not allowed'],
    ['/public%2finternal', 'percent-encoding not allowed'],
    ['/public%2Finternal', 'percent-encoding not allowed'],
    ['/public%5cinternal', 'percent-encoding not allowed'],
    ['/public/%00', 'percent-encoding not allowed'],
    ['/public/%252e', 'percent-encoding not allowed'],
    ['/public/%c3%a9', 'percent-encoding not allowed'],
    ['/public/%0d%0aX:y', 'percent-encoding not allowed'],
    ['/public/%', 'percent-encoding not allowed'],
    ['/public/%4', 'percent-encoding not allowed'],
    ['/public/%zz', 'percent-encoding not allowed'],
    ['/PUBLIC/x', 'upper case not allowed here'],
    ['/Pluto/code/create', 'upper case not allowed here'],
    ['/pluto/Code/create', 'upper case not allowed here'],
    ['/pluto/%43ode/create', 'upper case not allowed here'],
    ['*', 'not an absolute path'],
    ['', 'not an absolute path'],
    ['https://localhost/public/x', 'not an absolute path'],
    ['/public?a\u0000', 'character not allowed'],
    ['/public?a#b', 'character not allowed'],
  ])('refuses %j: %s (T-26)', (path, reason) => {
    expect(reasonFor(path)).toBe(reason);
  });

  it('refuses a path beyond 2,048 and a target beyond 8,192 characters (T-26)', () => {
    expect(reasonFor(`/public/${'a'.repeat(2_048)}`)).toBe('too long');
    expect(reasonFor(`/public?${'a'.repeat(8_192)}`)).toBe('too long');
  });

  it('takes a path of 2,048 and a target of 8,192 characters (T-26)', () => {
    expect(normalisePath(`/${'a'.repeat(2_047)}`)).toMatchObject({ ok: true });
    expect(normalisePath(`/public?${'a'.repeat(8_192 - '/public?'.length)}`)).toMatchObject({ ok: true });
  });

  it('refuses upper case in the part that the role table reads, and not behind it (T-26)', () => {
    expect(normalisePath('/code/Create')).toMatchObject({ ok: true, path: '/code/Create' });
    expect(normalisePath('/pluto/code/Create')).toMatchObject({ ok: true, rolePath: '/code/Create' });
    expect(reasonFor('/pluto/Code/create')).toBe('upper case not allowed here');
  });

  it('decodes characters that are equal by RFC 3986, so that both spellings match one rule (T-26)', () => {
    expect(normalisePath('/%70luto/%63ode/create')).toMatchObject({
      ok: true,
      path: '/pluto/code/create',
      rolePath: '/code/create',
    });
  });

  it('leaves documented names, a trailing slash and the query as they came', () => {
    expect(normalisePath('/portal/restful/merchant/notification/addHttp')).toMatchObject({ ok: true, search: '' });
    expect(normalisePath('/pluto/code/')).toMatchObject({ path: '/pluto/code/', rolePath: '/code/' });
    expect(normalisePath('/authentication/login-challenges?clientChallenge=a%2Bb%3D&identity=psp-1')).toMatchObject({
      path: '/authentication/login-challenges',
      search: '?clientChallenge=a%2Bb%3D&identity=psp-1',
    });
  });

  it('normalising twice changes nothing (T-26)', () => {
    fc.assert(
      fc.property(target, raw => {
        const once = normalisePath(raw);
        fc.pre(once.ok);
        expect(normalisePath(once.path + once.search)).toEqual(once);
      }),
      { numRuns: 3_000, maxSkipsPerRun },
    );
  });

  it('no spelling meets one rule and reaches another handler, however leniently a router reads it (T-26)', () => {
    fc.assert(
      fc.property(target, raw => {
        const result = normalisePath(raw);
        fc.pre(result.ok);
        const reading = mostLenientReading(raw.split('?', 1)[0]!);
        expect(reading).toBe(result.path);
        expect(ruleOf(reading)).toBe(ruleOf(result.path));
        expect(rules.find(rule => `${result.rolePath}/`.startsWith(rule))).toBe(ruleOf(reading));
      }),
      { numRuns: 5_000, maxSkipsPerRun },
    );
  });

  it('an HTTP client sends a normalised path unchanged (T-26)', () => {
    fc.assert(
      fc.property(target, raw => {
        const result = normalisePath(raw);
        fc.pre(result.ok);
        expect(new URL(result.path + result.search, 'http://upstream').pathname).toBe(result.path);
        expect(decodeURIComponent(result.path)).toBe(result.path);
      }),
      { numRuns: 3_000, maxSkipsPerRun },
    );
  });
});
