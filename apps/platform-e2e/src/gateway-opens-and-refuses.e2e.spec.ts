import { randomUUID } from 'node:crypto';
import type { Credentials } from '@paycode/platform-client';
import { basic, ExactGatewayClient } from './testing/exact-gateway-client';
import { sharedPlatform } from './testing/platform';

const platform = sharedPlatform();
const gateway = new ExactGatewayClient(platform);

/** A plain-HTTP request is rejected and has no effect. */
describe('a request in the clear', () => {
  it('is answered 400 in JSON, not redirected, and creates nothing (R-0-7, R-1-9)', async () => {
    const credentials = basic(platform.account('merchant-1001'));
    const merchantReference = `clear-${randomUUID()}`.slice(0, 45);
    const body = JSON.stringify({ merchantReference, amount: 1, currencyCode: 'ZAR' });
    const lines = ['POST /pluto/code/create HTTP/1.1', 'Host: localhost', credentials.join(': ')];
    const head = [...lines, 'Content-Type: application/json', `Content-Length: ${body.length}`].join('\r\n');
    const raw = await gateway.sendInTheClear(`${head}\r\n\r\n${body}`);
    expect(raw).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(raw).toContain('"message":"HTTPS is required"');
    expect(raw).not.toMatch(/location:/i);
    // A reference is used once: the first call over TLS creates its code, so the request in the clear has created nothing.
    const headers = [...credentials, 'Content-Type', 'application/json'];
    const create = async () => {
      const answer = await gateway.send({ method: 'POST', path: '/pluto/code/create', headers, body });
      return [answer.status, answer.headers['idempotent-replayed']];
    };
    expect([await create(), await create()]).toEqual([
      [200, undefined],
      [200, 'true'],
    ]);
  });

  it('over TLS 1.3 and 1.2 the platform answers, with HSTS; older versions are refused (R-5.4-4, A-81)', async () => {
    const answer = await gateway.send({ path: '/pluto/code/create' });
    expect([answer.status, answer.headers['strict-transport-security']]).toEqual([401, 'max-age=31536000']);
    expect(await gateway.send({ path: '/pluto/code/create', tls: { maxVersion: 'TLSv1.2' } })).toMatchObject({ status: 401 });
    // A client that offers them: at its own level of security, OpenSSL would not.
    const older = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(gateway.send({ path: '/pluto/code/create', tls: older })).rejects.toThrow('alert protocol version');
  });
});

const tricks = [
  '/public/../internal/accounts',
  '/public/..;/internal/accounts',
  '/public/%2e%2e/internal/accounts',
  '/public/%252e%252e/internal/accounts',
  '/public%2f..%2finternal/accounts',
  '/public/..%5cinternal/accounts',
  '//internal/accounts',
  '/public//../internal/accounts',
  '/public;/../internal/accounts',
  '/PUBLIC/../pluto/code/create',
  '/Pluto/Code/create',
  '/pluto/./code/create',
  '/pluto/code/create%00',
  '/pluto/code/create%20',
  '/pluto/co%u0064e/create',
  '/pluto/c\u00f6de/create',
];

/** No spelling of a path meets one rule and reaches another handler. */
describe('a path that two parsers may read differently', () => {
  it.each(tricks)('%s is refused, with and without credentials (T-26)', async path => {
    for (const headers of [[], basic(platform.account('psp-1'))]) {
      const answer = await gateway.send({ path: Buffer.from(path).toString('latin1'), headers });
      expect([answer.status, answer.message]).toEqual([400, expect.stringMatching(/invalid path|not valid HTTP/)]);
    }
  });

  it('RFC 3986: an encoded letter is that letter, for the rule and for the service alike', async () => {
    const anonymous = await gateway.send({ path: '/%70luto/%63ode/0000000000' });
    expect([anonymous.status, anonymous.message]).toEqual([401, 'Bad Credentials']);
    const psp = await gateway.send({ path: '/%70luto/%63ode/0000000000', headers: basic(platform.account('psp-1')) });
    expect(psp.status).toBe(404);
  });
});

const internalPaths = ['/internal/authorize', '/internal/accounts', '/pluto/internal/x', '/internal/deliveries/1'];
const closedPaths = [...internalPaths, '/metrics', '/health/ready', '/health/live', '/', '/jwks', '/api'];

/** Every request needs credentials but /public; a role opens a path, and nothing opens the inside. */
describe('the paths that a caller can reach through the gateway', () => {
  const callers: Record<string, Credentials> = {
    merchant: platform.account('merchant-1001'),
    psp: platform.account('psp-1'),
    stk: platform.account('stk-demo'),
  };
  const statusFor = async (path: string, caller?: string) =>
    (await gateway.send({ path, headers: caller ? basic(callers[caller]!) : [] })).status;

  it.each(closedPaths)('%s is closed to everybody (R-5.5-5, T-27)', async path => {
    expect(await statusFor(path)).toBe(401);
    for (const caller of ['merchant', 'psp', 'stk']) expect([403, 404]).toContain(await statusFor(path, caller));
  });

  it.each([
    '/pluto/code/0000000000',
    '/pluto/purchase/notification/1',
    '/pluto/purchase/notifications',
    '/pluto/remote/v4/lookup',
  ])('%s needs credentials (R-5.4-2)', async path => {
    const answer = await gateway.send({ path });
    expect([answer.status, answer.message]).toEqual([401, 'Bad Credentials']);
    expect(answer.headers['www-authenticate']).toBeDefined();
  });

  it('/code is for EXTERNAL accounts (R-5.5-2, R-7-5)', async () => {
    expect(await statusFor('/pluto/code/0000000000', 'stk')).toBe(403);
    expect(await statusFor('/pluto/code/0000000000', 'merchant')).toBe(404);
  });

  it('/stk is for STK accounts, though nothing is served there (R-5.5-4)', async () => {
    expect(await statusFor('/pluto/stk/x', 'psp')).toBe(403);
    expect(await statusFor('/pluto/stk/x', 'stk')).toBe(404);
  });

  it('the notification endpoints refuse a merchant (R-4.3-2, A-41)', async () => {
    const body = JSON.stringify({ merchantId: 1 });
    const request = { method: 'POST', path: '/portal/restful/merchant/notification/list', body };
    const headers = [...basic(callers['merchant']!), 'Content-Type', 'application/json'];
    expect((await gateway.send({ ...request, headers })).status).toBe(403);
  });

  it('a forged identity field has no effect (T-26)', async () => {
    const forged = ['X-Paycode-Identity', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJwc3AtMSJ9.', 'X-Forwarded-For', '127.0.0.1'];
    expect((await gateway.send({ path: '/pluto/purchase/notification/1', headers: forged })).status).toBe(401);
    const own = await gateway.send({ path: '/pluto/code/0000000000', headers: [...forged, ...basic(callers['merchant']!)] });
    expect(own.status).toBe(404);
  });
});

/** The gateway refuses a request that is too large, of the wrong type or not HTTP before any service reads it. */
describe('a request beyond the limits', () => {
  const post = (body: string, type: string[] = ['Content-Type', 'application/json']) =>
    gateway.send({ method: 'POST', path: '/pluto/code/create', headers: [...basic(platform.account('psp-1')), ...type], body });

  it('a body beyond 256 KiB is a JSON 413', async () => {
    const answer = await post(' '.repeat(262_145));
    expect([answer.status, answer.message]).toEqual([413, 'body is larger than allowed']);
  });

  it('a body that is not JSON by its type is a JSON 415 (R-5.4-1, R-4-1)', async () => {
    expect([(await post('a=1', ['Content-Type', 'text/plain'])).status, (await post('{}', [])).status]).toEqual([415, 415]);
  });

  it('a body that is not JSON in fact is a 400 of the service, with the request id of the client (R-7-6)', async () => {
    const headers = [...basic(platform.account('psp-1')), 'Content-Type', 'application/json', 'X-Request-Id', 'journey-0001'];
    const answer = await gateway.send({ method: 'POST', path: '/pluto/code/create', headers, body: '{' });
    expect([answer.status, answer.headers['x-request-id']]).toEqual([400, 'journey-0001']);
    expect(JSON.parse(answer.text)).toMatchObject({ status: 400, error: 'Bad Request', requestId: 'journey-0001' });
  });

  it('a second credential counts, and an invalid Bearer refuses the request (A-19)', async () => {
    const headers = [...basic(platform.account('psp-1')), 'Authorization', 'Bearer x.y.z'];
    const answer = await gateway.send({ path: '/pluto/code/0000000000', headers });
    expect([answer.status, answer.message]).toEqual([401, 'Invalid or expired JWT token']);
  });

  it('a token in the query is never accepted (R-5.4-3)', async () => {
    const [, value] = basic(platform.account('psp-1'));
    const answer = await gateway.send({
      path: `/pluto/code/0000000000?authorization=${encodeURIComponent(value!)}&access_token=x`,
    });
    expect([answer.status, answer.message]).toEqual([401, 'Bad Credentials']);
  });
});
