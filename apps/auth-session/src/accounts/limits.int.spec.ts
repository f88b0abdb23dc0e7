import { LoginClient } from '../testing/login-client';
import { basic, TestAuthSession } from '../testing/test-service';

const service = TestAuthSession.ofSpec();

const set = (username: string, perSecond: unknown) => service.operator('PUT', `/internal/limits/${username}`, { perSecond });
const show = (username = '') => service.operator('GET', `/internal/limits${username && `/${username}`}`);

describe('the limit that an operator sets for an account (T-02, T-27)', () => {
  it('goes to the gateway with every answer to the account, and is on the audit record', async () => {
    const { username, apiPassword } = await service.create({ type: 'PSP', id: 81 });
    const rateAtGateway = async () => {
      const answer = await service.authorize({
        path: '/pluto/code/create',
        method: 'POST',
        authorization: [basic(username, apiPassword)],
      });
      return answer.allowed ? answer.ratePerS : 'refused';
    };
    expect([(await show(username)).data, await rateAtGateway()]).toEqual([{ username, perSecond: 'default' }, undefined]);
    expect((await set(username, 40)).data).toEqual({ username, perSecond: 40 });
    expect([(await show(username)).data, await rateAtGateway()]).toEqual([{ username, perSecond: 40 }, 40]);
    expect((await show()).data).toEqual([{ username, perSecond: 40 }]);
    await set(username, null);
    expect([(await show()).data, await rateAtGateway()]).toEqual([[], undefined]);
    const sql = "select actor, detail from security_event where subject = $1 and kind = 'RATE_CHANGED' order by id";
    const actor = expect.stringMatching(/^operator/) as string;
    expect(await service.database.dataSource.query(sql, [username])).toEqual([
      { actor, detail: '40 per second' },
      { actor, detail: 'default' },
    ]);
  });

  it('goes with the answers to its sessions too', async () => {
    const client = new LoginClient(service);
    const account = await client.bearerAccount({ type: 'PSP', id: 83 }, false);
    const { headerValue } = await client.passwordLogin(account);
    await set(account.username, 7);
    expect(await service.authorize({ path: '/pluto/code/create', method: 'POST', authorization: [headerValue] })).toMatchObject({
      allowed: true,
      ratePerS: 7,
    });
  });

  it('is 1 to 10000, or the default; an unknown account is refused', async () => {
    const { username } = await service.create({ type: 'PSP', id: 82 });
    for (const wrong of [0, -1, 10_001, 1.5, '40', undefined]) {
      const { status, data } = await set(username, wrong);
      expect([status, data.errors[0].field]).toEqual([400, 'perSecond']);
    }
    expect([(await set(username, 1)).status, (await set(username, 10_000)).status]).toEqual([200, 200]);
    for (const { status, data } of [await set('psp-404', 5), await show('psp-404')])
      expect([status, data.message]).toEqual([404, 'no such account']);
  });
});
