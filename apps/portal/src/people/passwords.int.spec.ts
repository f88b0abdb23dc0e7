import { randomBytes } from 'node:crypto';
import { PortalVisitor } from '../testing/portal-visitor';
import { RunningPortal } from '../testing/running-portal';
import { passwordProblem } from './domain/password-rule';
import { Passwords } from './passwords';

describe('passwords of people', () => {
  const passwords = new Passwords();

  it('are kept as argon2id with a salt of their own, in the format of the standard libraries (T-04)', async () => {
    const [first, second] = [await passwords.hash('correct horse battery'), await passwords.hash('correct horse battery')];
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(first).not.toBe(second);
    expect(await passwords.isRight('correct horse battery', first)).toBe(true);
    expect(await passwords.isRight('correct horse batterz', first)).toBe(false);
  });

  it('reads what another library wrote', async () => {
    // echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32, of the reference implementation's tests.
    const known = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await passwords.isRight('password', known)).toBe(true);
  });

  it('nobody’s password is right, whatever it is (T-06)', async () => {
    expect(await passwords.isRight('', null)).toBe(false);
  });

  it.each([
    ['too short', 'must have at least 12 characters'],
    ['a'.repeat(129), 'must have at most 128 characters'],
    ['aaaaaaaaaaaaaa', 'must have at least 5 different characters'],
    ['owner@shop.example', 'must not be your e-mail address or name'],
  ])('%s %s', (password, problem) => {
    expect(passwordProblem(password, ['Owner@shop.example'])).toBe(problem);
  });

  it('takes a long sentence', () => {
    expect(passwordProblem('my dog eats oranges', ['Owner@shop.example'])).toBeUndefined();
  });
});

it('regression: a made-up secret of an invitation costs no hashing, and its address waits after a few (T-04)', async () => {
  const portal = await RunningPortal.start({}, { perAddress: 3 });
  try {
    const hash = jest.spyOn(Passwords.prototype, 'hash');
    const accept = async () => {
      const body = { secret: randomBytes(32).toString('base64url'), password: 'my dog eats oranges' };
      return (await new PortalVisitor(portal).post('invitations/accept', body)).status;
    };
    const statuses = await Promise.all(Array.from({ length: 12 }, accept));
    expect([...new Set(statuses)].sort()).toEqual([410, 429]);
    expect(hash).not.toHaveBeenCalled();
  } finally {
    await portal.stop();
  }
});
