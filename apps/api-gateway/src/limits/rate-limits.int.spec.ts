import { GatewayUnderTest } from '../testing/gateway-under-test';
import { json } from '../testing/stub-service';
import { AccountUse, RateLimits } from './rate-limits';

describe('request rates', () => {
  let gateway: GatewayUnderTest | undefined;
  let nowMs: number;
  beforeEach(() => {
    nowMs = 1_000;
    const { admit, charge } = RateLimits.prototype;
    jest.spyOn(RateLimits.prototype, 'admit').mockImplementation(function (this: RateLimits, caller) {
      return admit.call(this, { ...caller, nowMs });
    });
    jest.spyOn(RateLimits.prototype, 'charge').mockImplementation(function (this: RateLimits, credential, account) {
      return charge.call(this, credential, account, nowMs);
    });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await gateway?.stop();
    gateway = undefined;
  });
  const basic = (text: string) => ({ headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` } });

  it('beyond its rate a credential gets a JSON 429 with Retry-After and the limit that it met; others go on', async () => {
    gateway = await GatewayUnderTest.start({ CREDENTIAL_RATE_PER_S: '1' });
    const as = (text: string) => gateway!.send('/pluto/code/x', basic(text));
    const first = await Promise.all(Array.from({ length: 8 }, () => as('psp-1:a')));
    const refused = first.filter(answer => answer.status === 429);
    expect(refused).toHaveLength(6);
    expect(refused[0]!.body).toMatchObject({ status: 429, error: 'Too Many Requests', path: '/pluto/code/x' });
    expect(refused[0]!.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-policy': '"account";q=2;w=2',
      ratelimit: '"account";r=0;t=1',
    });
    expect(gateway.auth.seen).toHaveLength(2);
    expect((await as('psp-2:b')).status).toBe(200);
    nowMs += 1_000;
    expect([(await as('psp-1:a')).status, (await as('psp-1:a')).status]).toEqual([200, 429]);
  });

  const assertionOf = (sub: string) => `e30.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.sig`;

  it("the rate is the account's: other spellings, further passwords and sessions of one account do not multiply it, and each answer says what is left (T-05)", async () => {
    gateway = await GatewayUnderTest.start({ CREDENTIAL_RATE_PER_S: '1' });
    gateway.auth.answer = (_request, response) => json(response, { allowed: true, identity: assertionOf('psp-1') });
    const good = Buffer.from('psp-1:a').toString('base64');
    // 10 spellings of one credential, 30 sessions.
    const basics = Array.from({ length: 10 }, (_, i) => `${i % 2 ? 'basic' : 'Basic'}${' '.repeat(i + 1)}${good}`);
    const lines = [...basics, ...Array.from({ length: 30 }, (_, i) => `Bearer a.b.c${i}`)];
    let passed = 0;
    const left: unknown[] = [];
    for (const authorization of lines) {
      const { status, headers } = await gateway.send('/pluto/code/x', { headers: { authorization } });
      passed += Number(status === 200);
      if (status === 200) left.push(headers['ratelimit']);
    }
    expect(passed).toBe(2);
    expect(left).toEqual(['"account";r=1;t=1', '"account";r=0;t=1']);
    expect(gateway.upstream.seen).toHaveLength(2);
  });

  it('wrong and old passwords of an account do not use up its rate (T-05)', () => {
    const limits = new RateLimits({ addressPerS: 0, addressBurst: 1, credentialPerS: 1, credentialBurst: 2 });
    const admit = (line: string) => limits.admit({ address: '192.0.2.1', authorization: [line], nowMs: 0 });
    const own = admit('Basic right');
    expect(limits.charge(own.credential!, 'psp-1', 0)).toBe(0);
    for (let i = 0; i < 50; i++) expect(admit(`Basic wrong-${i}`)).toMatchObject({ waitS: 0, isCharged: false });
    expect(admit('Basic right')).toMatchObject({ waitS: 0, isCharged: true });
    expect(admit('Basic right').waitS).toBe(1);
    limits.forget(own.credential!);
    expect(admit('Basic right').isCharged).toBe(false);
  });

  it('the gateway shows how much of its rate the busiest account used in the last minute, and names it once a minute', () => {
    const high: [string, number][] = [];
    const use = new AccountUse((account, share) => high.push([account, share]));
    const limits = new RateLimits({ addressPerS: 0, addressBurst: 1, credentialPerS: 1, credentialBurst: 2 }, use);
    const send = (account: string, atMs: number) => {
      nowMs = atMs;
      const { credential, isCharged } = limits.admit({ address: '192.0.2.1', authorization: [account], nowMs });
      if (!isCharged) limits.charge(credential!, account, nowMs);
    };
    for (let second = 0; second < 60; second++) send('psp-1', second * 1_000);
    // It sends most, and may.
    limits.keepOwn('psp-2', 10);
    for (let second = 0; second < 240; second++) send('psp-2', second * 250);
    expect([use.share(59_999), use.share(60_000), high]).toEqual([0, 1, [['psp-1', 1]]]);
    for (let second = 60; second < 108; second++) send('psp-1', second * 1_000);
    expect([use.share(120_000), high]).toEqual([0.8, [['psp-1', 1]]]);
    expect(use.share(240_000)).toBe(0);
  });

  it("an operator's limit of an account holds from its second request on, more or less than the default, and until it is taken away", async () => {
    gateway = await GatewayUnderTest.start({ CREDENTIAL_RATE_PER_S: '2' });
    let ratePerS: number | undefined;
    gateway.auth.answer = (_request, response) =>
      json(response, { allowed: true, identity: assertionOf('psp-1'), ...(ratePerS && { ratePerS }) });
    const passedOf = async (count: number) => {
      const answers = [];
      for (let i = 0; i < count; i++) answers.push(await gateway!.send('/pluto/code/x', basic('psp-1:a')));
      const { headers } = answers.at(-1)!;
      return [answers.filter(({ status }) => status === 200).length, headers['ratelimit-policy']];
    };
    ratePerS = 5;
    expect(await passedOf(1)).toEqual([1, '"account";q=10;w=2']);
    nowMs += 10_000;
    expect(await passedOf(12)).toEqual([10, '"account";q=10;w=2']);
    nowMs += 10_000;
    ratePerS = 1;
    expect(await passedOf(5)).toEqual([3, '"account";q=2;w=2']);
    nowMs += 1_000;
    ratePerS = undefined;
    expect(await passedOf(1)).toEqual([1, '"account";q=4;w=2']);
  });

  it('where the default sets no limit, an account can have one', async () => {
    gateway = await GatewayUnderTest.start({ CREDENTIAL_RATE_PER_S: '0' });
    gateway.auth.answer = (_request, response) => json(response, { allowed: true, identity: assertionOf('psp-1'), ratePerS: 1 });
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await gateway.send('/pluto/code/x', basic('psp-1:a'))).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  it('the metric of that share is there before the first request', async () => {
    gateway = await GatewayUnderTest.start();
    expect(await gateway.metric(/^paycode_api_gateway_account_limit_used /)).toBe(0);
  });

  it('beyond its rate an address is refused before auth-session is asked', async () => {
    gateway = await GatewayUnderTest.start({ ADDRESS_RATE_PER_S: '1' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway!.send('/public/x')));
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 200, 429, 429, 429, 429, 429, 429]);
    expect(answers.find(({ status }) => status === 200)!.headers).not.toHaveProperty('ratelimit');
    expect(answers.find(({ status }) => status === 429)!.headers['ratelimit']).toBe('"address";r=0;t=1');
    expect(gateway.auth.seen).toHaveLength(2);
  });

  it('behind a named proxy each client has its own rate; a forged address gains nothing without one (T-26)', () => {
    const limits = new RateLimits({ addressPerS: 1, addressBurst: 1, credentialPerS: 0, credentialBurst: 1 });
    const admit = (address: string) => limits.admit({ address, authorization: [], nowMs }).waitS;
    expect([admit('192.0.2.1'), admit('192.0.2.2'), admit('192.0.2.1')]).toEqual([0, 0, 1]);
  });

  it('an IPv6 client has one rate for its whole /64', () => {
    const limits = new RateLimits({ addressPerS: 1, addressBurst: 1, credentialPerS: 0, credentialBurst: 1 });
    const admit = (address: string) => limits.admit({ address, authorization: [], nowMs }).waitS;
    expect([admit('2001:db8:0:1::1'), admit('2001:db8:0:1:ffff::2'), admit('2001:db8:0:2::1')]).toEqual([0, 1, 0]);
  });
});
