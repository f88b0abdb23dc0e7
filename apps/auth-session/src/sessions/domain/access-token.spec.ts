import { accessTokenAudience, isTimely, readClaims } from './access-token';

const payload = { sub: 'psp-1', sid: 's', jti: 'j', iat: 100, exp: 1_000 };
const claims = { subject: 'psp-1', sessionId: 's', tokenId: 'j', issuedAtS: 100, expiresAtS: 1_000 };

describe('claims of an access token', () => {
  it('are read from a token of our own kind', () => {
    expect(readClaims({ header: { typ: 'at+jwt' }, payload })).toEqual(claims);
  });

  it.each([
    ['another kind', 'paycode-identity+jwt', payload],
    ['no kind', undefined, payload],
    ['no sid', 'at+jwt', { ...payload, sid: undefined }],
    ['no jti', 'at+jwt', { ...payload, jti: '' }],
    ['no exp', 'at+jwt', { ...payload, exp: undefined }],
    ['exp of another type', 'at+jwt', { ...payload, exp: '1000' }],
    ['no iat', 'at+jwt', { ...payload, iat: undefined }],
    ['a payload that is text', 'at+jwt', 'text'],
    ['a payload that is null', 'at+jwt', null],
    ['no payload', 'at+jwt', undefined],
  ])('refuses %s (T-08)', (_, typ, tokenPayload) => {
    expect(readClaims({ header: { typ }, payload: tokenPayload })).toBeUndefined();
  });

  it('at `exp` itself the token is already rejected (A-61, R-2.2-6)', () => {
    expect([isTimely(claims, 999_999), isTimely(claims, 1_000_000)]).toEqual([true, false]);
  });

  it('a token from the future is refused, a clock a few seconds ahead is not (T-08)', () => {
    expect([isTimely(claims, 95_000), isTimely(claims, 94_999)]).toEqual([true, false]);
  });

  it('the audience is the environment (T-08)', () => {
    expect(accessTokenAudience('sandbox')).not.toBe(accessTokenAudience('production'));
  });
});
