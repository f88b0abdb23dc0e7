import { accessTokenAudience, isTimely, objectionTo, readClaims, type Session, type SessionOwner } from './access-token';

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

const session: Session = {
  id: 's',
  credentialVersion: 3,
  tokenId: 't',
  loginKind: 'PASSWORD',
  startedAt: new Date(0),
  expiresAt: new Date(900_000),
  revokedAt: null,
};
const owner: SessionOwner = { mode: 'BEARER', credentialVersion: 3 };

describe('a session', () => {
  it('is good until the millisecond before it expires (R-5.2-7, A-61)', () => {
    expect([objectionTo(session, owner, 899_999), objectionTo(session, owner, 900_000)]).toEqual([undefined, 'ENDED']);
  });

  it('has ended once revoked (R-4.1-12)', () => {
    expect(objectionTo({ ...session, revokedAt: new Date(1) }, owner, 2)).toBe('ENDED');
  });

  it('has ended if the password has changed since (A-31)', () => {
    expect(objectionTo(session, { ...owner, credentialVersion: 4 }, 2)).toBe('ENDED');
  });

  it('of an account not in Bearer mode is reported as disabled only if nothing else is wrong (A-23, R-5.2-9)', () => {
    expect(objectionTo(session, { ...owner, mode: 'BASIC' }, 2)).toBe('JWT_DISABLED');
    expect(objectionTo({ ...session, revokedAt: new Date(1) }, { ...owner, mode: 'BASIC' }, 2)).toBe('ENDED');
  });
});
