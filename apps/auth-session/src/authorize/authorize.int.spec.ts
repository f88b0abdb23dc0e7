import type { AccountType, Identity } from '@paycode/dto';
import jsonwebtoken from 'jsonwebtoken';
import { basic, type CreatedAccount, outcomeOf, TestAuthSession } from '../testing/test-service';

const service = TestAuthSession.ofSpec();
let accounts: Record<AccountType, CreatedAccount>;
beforeAll(async () => {
  accounts = {
    MANAGER: await service.create({ type: 'MANAGER', id: 1 }),
    MERCHANT: await service.create({ type: 'MERCHANT', id: 1 }),
    PSP: await service.create({ type: 'PSP', id: 1 }),
    STK: await service.create({ type: 'STK', username: 'ussd' }),
    ACQUIRER: await service.create({ type: 'ACQUIRER', username: 'bank-a', acquirer: 'Bank A' }),
  };
});

const credentials = (type: AccountType) => [basic(accounts[type].username, accounts[type].apiPassword)];

describe('the path-role table', () => {
  const types: AccountType[] = ['MANAGER', 'MERCHANT', 'PSP', 'STK', 'ACQUIRER'];
  it.each([
    ['R-5.5-2', '/pluto/code/create', ['MERCHANT', 'PSP']],
    ['R-5.5-2', '/code/create', ['MERCHANT', 'PSP']],
    ['R-5.5-2', '/pluto/purchase/notification/5', ['MERCHANT', 'PSP']],
    ['R-5.5-3 R-4.2-1', '/pluto/remote/v4/lookup', types],
    ['R-5.5-3', '/pluto/provision/x', types],
    ['R-5.5-4', '/pluto/stk/x', ['STK']],
    ['R-5.5-5 T-27', '/internal/authorize', []],
    ['R-5.5-5 T-27', '/pluto/internal/x', []],
    ['R-4.3-2 A-41', '/portal/restful/merchant/notification/addHttp', ['PSP', 'ACQUIRER']],
    ['R-5.4-2 default deny', '/portal/restful/merchant/other', []],
    ['R-5.4-2 default deny', '/plutocode/create', []],
    ['A-47 one prefix only', '/pluto/pluto/code/create', []],
    ['R-5.4-2 default deny', '/', []],
  ])('%s: %s is for %j', async (_, path, allowed) => {
    const answers = await Promise.all(types.map(type => service.authorize({ path, authorization: credentials(type) })));
    expect(answers.map(outcomeOf)).toEqual(types.map(type => (allowed.includes(type) ? 'allowed' : '403 Forbidden')));
    expect(outcomeOf(await service.authorize({ path }))).toBe('401 Bad Credentials');
  });

  describe('as in R-5.5-1, R-5.4-2, A-46', () => {
    it.each(['/public/monitor', '/pluto/public/x', '/authentication/login', '/public'])('%s needs no credentials', async path => {
      expect(await service.authorize({ path })).toEqual({ allowed: true });
      // The service does not check credentials on a path that needs none.
      expect(await service.authorize({ path, authorization: ['Bearer'] })).toEqual({ allowed: true });
    });
  });
});

describe('the answer', () => {
  const codes = { path: '/pluto/code/create?token=secret', requestId: 'req-42-abcdef' };

  describe('as in R-7-1, R-5.1-2, T-06', () => {
    it('wrong user and wrong password cannot be told apart', async () => {
      const [unknown, wrong] = await Promise.all([
        service.authorize({ ...codes, authorization: [basic('psp-99', 'x')] }),
        service.authorize({ ...codes, authorization: [basic('psp-1', 'x')] }),
      ]);
      if (unknown.allowed || wrong.allowed) throw new Error('allowed');
      const untimed = (body: string) => body.replace(/"timestamp":"[^"]+"/, '');
      expect(untimed(unknown.body)).toBe(untimed(wrong.body));
      expect({ ...unknown, body: '' }).toEqual({ ...wrong, body: '' });
      expect(wrong).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Basic realm="paycode", Bearer' } });
      expect(JSON.parse(wrong.body)).toEqual({
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        status: 401,
        error: 'Unauthorized',
        message: 'Bad Credentials',
        code: 'BAD_CREDENTIALS',
        path: '/pluto/code/create',
        requestId: 'req-42-abcdef',
      });
    });
  });

  it('no Authorization header is Bad Credentials (A-25)', async () => {
    expect(outcomeOf(await service.authorize(codes))).toBe('401 Bad Credentials');
  });

  it('a role that does not permit the path is 403 with the error body (R-7-5)', async () => {
    const answer = await service.authorize({ ...codes, authorization: credentials('STK') });
    if (answer.allowed) throw new Error('allowed');
    expect(answer.headers).not.toHaveProperty('www-authenticate');
    expect(JSON.parse(answer.body)).toMatchObject({ status: 403, error: 'Forbidden', message: 'Forbidden' });
  });

  describe('as in A-42, A-40, R-1-2', () => {
    it.each<[AccountType, Pick<Identity, 'roles' | 'ownerId' | 'acquirer'>]>([
      ['MANAGER', { roles: [], ownerId: 1, acquirer: null }],
      ['MERCHANT', { roles: ['EXTERNAL'], ownerId: 1, acquirer: null }],
      ['PSP', { roles: ['EXTERNAL'], ownerId: 1, acquirer: null }],
      ['STK', { roles: ['STK'], ownerId: null, acquirer: null }],
      ['ACQUIRER', { roles: [], ownerId: null, acquirer: 'Bank A' }],
    ])('asserts the identity of a %s for 30 seconds', async (type, owner) => {
      const answer = await service.authorize({ authorization: credentials(type) });
      if (!answer.allowed) throw new Error('denied');
      const claims = jsonwebtoken.decode(answer.identity!) as jsonwebtoken.JwtPayload & Identity;
      expect(claims).toMatchObject({ sub: accounts[type].username, accountType: type, ...owner });
      expect(claims).toMatchObject({ iss: 'auth-session', aud: 'payment-simulator', exp: claims.iat! + 30 });
    });
  });

  it('an assertion holds for one method and path of the service that serves it, whatever the gateway claims (T-26)', async () => {
    const asserted = async (method: string, path: string) => {
      const answer = await service.authorize({ method, path, authorization: credentials('PSP') });
      if (!answer.allowed) throw new Error('denied');
      const { aud, htm, htu } = jsonwebtoken.decode(answer.identity!) as jsonwebtoken.JwtPayload;
      return [aud, htm, htu] as unknown[];
    };
    const list = '/portal/restful/merchant/notification/list';
    expect(await asserted('GET', '/pluto/code/0000000001')).toEqual(['payment-simulator', 'GET', '/pluto/code/0000000001']);
    expect(await asserted('GET', '/pluto/code/0000000002')).toEqual(['payment-simulator', 'GET', '/pluto/code/0000000002']);
    expect(await asserted('POST', '/pluto/code/0000000002')).toEqual(['payment-simulator', 'POST', '/pluto/code/0000000002']);
    expect(await asserted('POST', list)).toEqual(['notification-config', 'POST', list]);
    const notification = '/pluto/purchase/notification/7';
    expect(await asserted('GET', `/pluto/%70urchase/notification/7?x=1`)).toEqual(['webhook-dispatcher', 'GET', notification]);
  });

  it('the same caller, method and path get the same assertion for some seconds, others another one', async () => {
    const ask = async (request: object) => {
      const answer = await service.authorize({ authorization: credentials('PSP'), ...request });
      return answer.allowed ? answer.identity : undefined;
    };
    const path = '/pluto/remote/v4/lookup';
    const first = await ask({ path });
    expect(await ask({ path })).toBe(first);
    expect(await ask({ path: `${path}?q=1` })).toBe(first);
    const others = [await ask({ path: '/pluto/remote/v4/other' }), await ask({ path, method: 'PUT' })];
    expect(new Set([first, ...others]).size).toBe(3);
  });

  it('a question that is not well formed is a 400 to the gateway (R-7-6)', async () => {
    await expect(service.authorize({ path: 7 as unknown as string })).rejects.toThrow('authorize answered 400');
  });
});
