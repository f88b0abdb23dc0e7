import { objectionTo, type Session, type SessionOwner } from './session';

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
