import { basic } from './testing/exact-gateway-client';
import { sharedPlatform } from './testing/platform';
import { SessionClient } from './testing/session-client';

/** Two methods for the same accounts; an account uses one of them. */
describe('Basic and Bearer', () => {
  const client = new SessionClient(sharedPlatform());
  const badCredentials = '401 Bad Credentials';

  describe('as in R-0-8, R-5.1-1, R-5.1-2, R-2.1-5', () => {
    it('the current API password is accepted, the one before is not', async () => {
      const account = await client.basicAccount();
      expect(await client.use(...basic(account))).toBe('let in');
      const { apiPassword } = await client.operator('POST', `/internal/accounts/${account.username}/password`);
      expect(await client.use(...basic(account))).toBe(badCredentials);
      expect(await client.use(...basic({ ...account, password: apiPassword as string }))).toBe('let in');
    });
  });

  describe('as in R-5-1, R-4.1-7, R-5.2-1', () => {
    it('a Bearer token gives the same access', async () => {
      const session = await client.logIn(await client.bearerAccount());
      expect(await client.useSession(session)).toBe('let in');
    });
  });

  describe('as in R-5.2-3, R-5.2-4, A-20, A-21', () => {
    it('the switch to Bearer ends Basic at once; the next password works for login only', async () => {
      const account = await client.basicAccount();
      await client.operator('POST', `/internal/accounts/${account.username}/bearer`);
      expect(await client.use(...basic(account))).toBe(badCredentials);
      const { apiPassword } = await client.operator('POST', `/internal/accounts/${account.username}/password`);
      const renewed = { ...account, password: apiPassword as string };
      expect(await client.use(...basic(renewed))).toBe(badCredentials);
      expect(await client.useSession(await client.logIn(renewed))).toBe('let in');
    });
  });

  it('an account in Basic mode gets an error that says so when it logs in with the right password (A-22, R-7-4)', async () => {
    const { username, password } = await client.basicAccount();
    const says = async (secret: string) => (await client.post('login', { identity: username, password: secret })).message;
    expect(await says(password)).toBe('JWT Authentication disabled for this account');
    expect(await says('wrong')).toBe('Bad Credentials');
  });

  it('with both, only the Bearer token counts (A-19, R-5.2-2)', async () => {
    const [basicAccount, bearerAccount] = [await client.basicAccount(), await client.bearerAccount()];
    const session = await client.logIn(bearerAccount);
    const bearer = ['Authorization', session.headerValue];
    expect(await client.use(...basic(basicAccount), ...bearer)).toBe('let in');
    expect(await client.use(...basic({ username: 'psp-1', password: 'wrong' }), ...bearer)).toBe('let in');
    const invalid = ['Authorization', `${session.headerValue.slice(0, -8)}AAAAAAAA`];
    expect(await client.use(...basic(basicAccount), ...invalid)).toBe('401 Invalid or expired JWT token');
  });

  it('a new password ends the sessions of the account (A-31, T-09)', async () => {
    const account = await client.bearerAccount();
    const session = await client.logIn(account);
    await client.operator('POST', `/internal/accounts/${account.username}/password`);
    expect(await client.useSession(session)).toBe('401 Invalid or expired JWT token');
  });

  it('keys rotate without ending a session (T-08)', async () => {
    const session = await client.logIn(await client.bearerAccount());
    await client.operator('POST', '/internal/keys/rotate');
    expect(await client.useSession(session)).toBe('let in');
    expect(await client.useSession(await client.logIn(await client.bearerAccount()))).toBe('let in');
  });
});
