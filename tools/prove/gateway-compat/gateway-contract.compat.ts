import { eventually } from '@paycode/service-runtime/testing';
import { decodeJwt } from 'jose';
import {
  type Account,
  ContractPlatform,
  type Front,
  FrontClient,
  type FrontRequest,
  startApiGateway,
  type StartFront,
  startNginx,
} from './fronts';

const json = ['Content-Type', 'application/json'];
const basic = ({ username, apiPassword }: Account) => ['Authorization', `Basic ${btoa(`${username}:${apiPassword}`)}`];
const forged = [
  'X-Paycode-Identity',
  'forged',
  'X-Forwarded-For',
  '198.51.100.1',
  'X-Original-URI',
  '/public/x',
  'X-Original-Method',
  'GET',
];

describe.each<[string, StartFront]>([
  ['api-gateway', startApiGateway],
  ['nginx', startNginx],
])('%s in front of the platform', (_name, startFront) => {
  let platform!: ContractPlatform;
  let front: Front | undefined;
  let client: FrontClient;
  let psp: Account;
  let stk: Account;
  beforeAll(async () => {
    platform = await ContractPlatform.start();
    front = await startFront(platform);
    client = new FrontClient(front.port, platform.certificate.cert);
    psp = await platform.createAccount({ type: 'PSP', id: 1 });
    stk = await platform.createAccount({ type: 'STK', username: 'ussd' });
  }, 300_000);
  beforeEach(() => (platform.echo.count = 0));
  afterAll(async () => {
    await front?.process.stop();
    await platform?.stop();
  });

  const outcome = async (request: FrontRequest) => {
    const { status, error } = await client.send(request);
    return [status, error.message];
  };
  const badCredentials = {
    status: 401,
    error: 'Unauthorized',
    message: 'Bad Credentials',
    code: 'BAD_CREDENTIALS',
    path: '/pluto/code/create',
  };

  it('no credential and a wrong one are 401 Bad Credentials with WWW-Authenticate, in JSON (R-7-1, A-25)', async () => {
    const none = await client.send({ path: '/pluto/code/create?x=1' });
    const wrong = await client.send({ path: '/pluto/code/create', headers: basic({ username: 'psp-77', apiPassword: 'x' }) });
    for (const answer of [none, wrong]) {
      expect([answer.status, answer.error]).toEqual([401, badCredentials]);
      expect(answer.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'contract-1' });
      expect(answer.headers['www-authenticate']).toMatch(/Basic.*Bearer/s);
    }
    expect(Object.keys(JSON.parse(none.text) as object)).toEqual([
      'timestamp',
      'status',
      'error',
      'message',
      'code',
      'path',
      'requestId',
    ]);
    expect(platform.echo.count).toBe(0);
  });

  describe('as in R-7-2, R-7-3, A-19', () => {
    it('each kind of Bearer refusal keeps its own text', async () => {
      const path = '/pluto/code/create';
      expect(await outcome({ path, headers: ['Authorization', 'Bearer'] })).toEqual([401, 'Invalid JWT token']);
      expect(await outcome({ path, headers: ['Authorization', 'Bearer a.b.c'] })).toEqual([401, 'Invalid or expired JWT token']);
    });
  });

  it('an allowed request reaches the service with the asserted identity and without the credential (R-5-1)', async () => {
    const { status, echo } = await client.send({
      method: 'POST',
      path: '/pluto/code/create?a=%2F',
      headers: [...basic(psp), ...json],
      body: '{"a":1}',
    });
    expect([status, echo.method, echo.url, echo.body]).toEqual([200, 'POST', '/pluto/code/create?a=%2F', '{"a":1}']);
    const asserted = { sub: 'psp-1', aud: 'payment-simulator', htm: 'POST', htu: '/pluto/code/create' };
    expect(decodeJwt(echo.headers['x-paycode-identity']!)).toMatchObject(asserted);
    expect(echo.headers.authorization).toBeUndefined();
    expect(echo.headers['x-request-id']).toBe('contract-1');
    expect(echo.headers['x-paycode-proxy-token']).toBeUndefined();
  });

  it('forged identity, address and path claims change nothing (T-26)', async () => {
    const open = await client.send({ path: '/public/pay', headers: forged });
    expect([open.status, open.echo.headers['x-paycode-identity']]).toEqual([200, undefined]);
    expect(open.echo.headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(await outcome({ path: '/pluto/code/create', headers: forged })).toEqual([401, 'Bad Credentials']);
    const asPsp = await client.send({ path: '/pluto/code/x', headers: [...forged, ...basic(psp)] });
    expect(decodeJwt(asPsp.echo.headers['x-paycode-identity']!).sub).toBe('psp-1');
  });

  it('logout and renew alone receive the token (R-4.1-11)', async () => {
    const headers = ['Authorization', 'Bearer a.b.c'];
    const seen = await Promise.all(
      ['/authentication/logout', '/authentication/renew', '/authentication/login'].map(path =>
        client.send({ method: 'POST', path, headers, body: '' }),
      ),
    );
    expect(seen.map(({ echo }) => echo.headers.authorization)).toEqual(['Bearer a.b.c', 'Bearer a.b.c', undefined]);
  });

  it('roles decide per path; a path without a service is a 404 only for a permitted caller (R-5.5)', async () => {
    const paths = [
      '/pluto/code/x',
      '/pluto/stk/x',
      '/pluto/provision/x',
      '/pluto/internal/x',
      '/internal/authorize',
      '/metrics',
      '/health/ready',
    ];
    const statuses = (headers: string[]) => Promise.all(paths.map(async path => (await client.send({ path, headers })).status));
    expect(await statuses([])).toEqual([401, 401, 401, 401, 401, 401, 401]);
    expect(await statuses(basic(psp))).toEqual([200, 403, 404, 403, 403, 403, 403]);
    expect(await statuses(basic(stk))).toEqual([403, 404, 404, 403, 403, 403, 403]);
    expect(platform.echo.count).toBe(1);
  });

  it.each(['/public/../internal/x', '/public/..;/internal', '//public/x', '/public//x', '/public%2fx', '/PUBLIC/x', '/public/%00',
    '/public/%2e%2e/internal/x', '/public;x/y', '/pluto/code/../../internal/x', '/public/%5c..%5cinternal', '/public/%c3%a9'])(
    '%s reaches no service (T-26)',
    async path => {
      const answers = await Promise.all([[], basic(psp)].map(headers => client.send({ path, headers })));
      for (const { status } of answers) expect([400, 404]).toContain(status);
      expect(platform.echo.count).toBe(0);
    },
  ); // prettier-ignore

  it.each([false, true])('a body beyond 256 KiB is a JSON 413 (chunked: %s)', async isChunked => {
    const request = { method: 'POST', path: '/pluto/code/create', headers: [...basic(psp), ...json], isChunked };
    expect(await outcome({ ...request, body: ' '.repeat(262_145) })).toEqual([413, 'body is larger than allowed']);
    expect((await client.send({ ...request, body: ' '.repeat(262_144) })).status).toBe(200);
    expect(platform.echo.count).toBe(1);
  });

  it('a body that is not JSON by its type is a JSON 415 (R-5.4-1)', async () => {
    const request = { method: 'POST', path: '/pluto/code/create', body: 'a=1' };
    expect(await outcome({ ...request, headers: [...basic(psp), 'Content-Type', 'text/plain'] })).toEqual([
      415,
      'Content-Type must be application/json',
    ]);
    expect(await outcome({ ...request, headers: basic(psp) })).toEqual([415, 'Content-Type must be application/json']);
    expect(platform.echo.count).toBe(0);
  });

  it('plain HTTP on the TLS port is a JSON 400 without effect (R-1-9)', async () => {
    const raw = await client.sendPlain('GET /public/x HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(raw).toMatch(/^HTTP\/1\.1 400 .*\r\n/);
    expect(raw).toMatch(/content-type: application\/json/i);
    expect(raw).toContain('HTTPS is required');
    expect(platform.echo.count).toBe(0);
  });

  it('TLS 1.2 and 1.3 with their cipher suites, and HSTS on every answer (R-5.4-4, A-81)', async () => {
    expect((await client.send({ path: '/public/x', maxVersion: 'TLSv1.2' })).status).toBe(200);
    const cbcOnly = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256' } as const;
    await expect(client.send({ path: '/public/x', ...cbcOnly })).rejects.toThrow();
    for (const path of ['/public/x', '/pluto/code/x', '/internal']) {
      expect((await client.send({ path })).headers['strict-transport-security']).toBe('max-age=31536000');
    }
  });

  it('too many wrong credentials are a 429 with Retry-After, as auth-session says (T-05)', async () => {
    const guess = { path: '/pluto/code/create', headers: basic({ username: 'psp-88', apiPassword: 'wrong' }) };
    const refused = await eventually(async () => {
      const answer = await client.send(guess);
      expect(answer.status).toBe(429);
      return answer;
    });
    expect(refused.error).toMatchObject({ status: 429, error: 'Too Many Requests' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('a service that is down is a JSON 503 with Retry-After', async () => {
    const { port } = platform.echo;
    await platform.echo.stop();
    const answer = await client.send({ path: '/public/x' });
    await platform.echo.listen(port);
    expect([answer.status, answer.error.error]).toEqual([503, 'Service Unavailable']);
    expect(answer.headers['retry-after']).toBe('1');
  });

  it('nothing passes while auth-session is down', async () => {
    await platform.authSession.stop();
    const answers = await Promise.all(['/public/x', '/pluto/code/x'].map(path => client.send({ path, headers: basic(psp) })));
    expect(answers.map(({ status, error }) => [status, error.error])).toEqual(Array(2).fill([503, 'Service Unavailable']));
    expect(platform.echo.count).toBe(0);
  });
});
