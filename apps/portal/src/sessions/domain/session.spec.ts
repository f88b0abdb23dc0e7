import { cookieFor, deviceCookieFor, deviceIn, isFromOwnPages, noCookie, secretIn } from './session';

const secret = 'A_-9'.repeat(10) + 'xyz';

describe('the cookie of a session (T-52)', () => {
  it('belongs to this host alone, over TLS, unseen by scripts and by requests of other sites', () => {
    expect(cookieFor(secret, 3_600)).toBe(`__Host-paycode=${secret}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=3600`);
    expect(noCookie).toBe('__Host-paycode=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0');
  });

  it('is not that of the device, nor the reverse', () => {
    expect(deviceCookieFor(secret)).toBe(
      `__Host-paycode-device=${secret}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=34560000`,
    );
    const headers = [`__Host-paycode-device=${secret}`, `__Host-paycode=${secret}`];
    expect(headers.map(header => [secretIn(header), deviceIn(header)])).toEqual([
      [undefined, secret],
      [secret, undefined],
    ]);
  });

  it.each([
    [`__Host-paycode=${secret}`, secret],
    [`theme=dark; __Host-paycode=${secret}; lang=en`, secret],
    [`theme=dark;__Host-paycode=${secret};lang=en`, secret],
    [undefined, undefined],
    ['theme=dark', undefined],
    [`paycode=${secret}`, undefined],
    [`x__Host-paycode=${secret}`, undefined],
    [`__Host-paycode=${secret}0`, undefined],
    [`__Host-paycode=${secret.slice(1)}`, undefined],
    [`__Host-paycode=${secret.slice(1)}!`, undefined],
  ])('in %s: %s', (header, found) => {
    expect(secretIn(header)).toBe(found);
  });
});

const own = 'https://pay.example';

describe('which requests come from the portal’s own pages', () => {
  it.each([
    ['POST', own, 'same-origin', true],
    ['POST', own, undefined, true],
    ['GET', undefined, 'same-origin', true],
    ['GET', undefined, 'none', true],
    ['GET', own, 'same-origin', true],
    ['GET', 'https://evil.example', undefined, false],
    ['GET', undefined, undefined, true],
    ['POST', undefined, 'same-origin', false],
    ['POST', undefined, undefined, false],
    ['POST', 'null', 'cross-site', false],
    ['POST', 'https://evil.example', 'cross-site', false],
    ['POST', 'https://evil.pay.example', 'same-site', false],
    ['POST', own, 'same-site', false],
    ['POST', own, 'cross-site', false],
    ['POST', own, 'none', false],
    ['POST', `${own}.evil.example`, 'same-origin', false],
    ['POST', 'http://pay.example', 'same-site', false],
    ['DELETE', 'https://evil.example', undefined, false],
    ['GET', 'https://evil.example', 'cross-site', false],
    ['GET', undefined, 'cross-site', false],
  ])('%s from origin %s, site %s: %s (T-52)', (...row) => {
    const [method, origin, site, isOwn] = row;
    expect(isFromOwnPages({ method, origin, site }, own)).toBe(isOwn);
  });
});
