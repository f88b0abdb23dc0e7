import type { AxiosResponse } from 'axios';
import { LoginClient, tokenOf } from '../testing/login-client';
import { basic, outcomeOf, TestAuthSession } from '../testing/test-service';

const service = TestAuthSession.ofSpec();
const client = new LoginClient(service);

const bind = (username: string, sourceAddresses: unknown) =>
  service.operator('PUT', `/internal/accounts/${username}/source-addresses`, { sourceAddresses });
const from = async (address: string, authorization: string) =>
  outcomeOf(await service.authorize({ authorization: [authorization], address }));
const says = ({ status, data }: AxiosResponse) => `${status} ${(data as { message?: string }).message ?? 'ok'}`;

describe('an account that is bound to its owner’s addresses (T-15)', () => {
  it.each([
    ['198.51.100.0/24', '198.51.100.77', '198.51.101.1'],
    ['198.51.100.7', '198.51.100.7', '198.51.100.8'],
    ['198.51.100.0/24', '::ffff:198.51.100.9', '::ffff:198.51.99.9'],
    ['2001:db8:7::/48', '2001:db8:7::1', '2001:db8:8::1'],
  ])('bound to %s, Basic works from %s and not from %s', async (source, near, far) => {
    const { username, apiPassword } = await service.create({ type: 'STK', username: `stk ${near.replaceAll(':', '-')}` });
    const credential = basic(username, apiPassword);
    expect(await from(far, credential)).toBe('allowed');
    expect((await bind(encodeURIComponent(username), ['192.0.2.1', source])).data).toMatchObject({
      sourceAddresses: ['192.0.2.1', source],
    });
    expect([await from(near, credential), await from(far, credential)]).toEqual(['allowed', '401 Bad Credentials']);
    await bind(encodeURIComponent(username), []);
    expect(await from(far, credential)).toBe('allowed');
  });

  it('an open session is refused from elsewhere too: no request, no renewal, no login', async () => {
    const account = await client.bearerAccount({ type: 'PSP', id: 71 }, false);
    const session = await client.passwordLogin(account);
    await bind(account.username, ['203.0.113.0/24']);
    expect([await from('203.0.113.7', session.headerValue), await from('198.51.100.1', session.headerValue)]).toEqual([
      'allowed',
      '401 Invalid or expired JWT token',
    ]);
    const elsewhere = { headers: { 'x-forwarded-for': '198.51.100.1' } };
    const login = { identity: account.username, password: account.password };
    expect(says(await service.client('POST', '/authentication/login', { data: login, ...elsewhere }))).toBe(
      '401 Bad Credentials',
    );
    const jwt = tokenOf(session);
    expect(says(await service.client('POST', '/authentication/renew', { data: { jwt }, ...elsewhere }))).toBe(
      '401 Invalid or expired JWT token',
    );
    const home = { headers: { 'x-forwarded-for': '203.0.113.200' } };
    expect(says(await service.client('POST', '/authentication/renew', { data: { jwt }, ...home }))).toBe('200 ok');
  });

  it('the list is checked entry by entry, and the security log records its change', async () => {
    const { username } = await service.create({ type: 'PSP', id: 72 });
    for (const wrong of ['198.51.100.0/33', '198.51.100', '0x7f.1', 'example.com', '']) {
      const { status, data } = await bind(username, ['192.0.2.1', wrong]);
      expect([status, data.errors]).toEqual([
        400,
        [{ field: 'sourceAddresses.1', message: 'expected an IP address or a CIDR range' }],
      ]);
    }
    expect((await bind(username, 'all')).status).toBe(400);
    expect((await bind(username, Array(33).fill('192.0.2.1'))).status).toBe(400);
    expect((await service.operator('GET', `/internal/accounts/${username}`)).data.sourceAddresses).toEqual([]);
    await bind(username, ['192.0.2.1']);
    const events = await service.database.dataSource.query('select kind from security_event where subject = $1 order by id', [
      username,
    ]);
    expect(events).toEqual([{ kind: 'ACCOUNT_CREATED' }, { kind: 'SOURCES_CHANGED' }]);
  });
});
