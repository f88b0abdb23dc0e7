import { isFromOwnPages } from './same-origin';

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
