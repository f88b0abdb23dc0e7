import type { Credentials } from '@paycode/platform-client';
import { basic, ExactGatewayClient } from './testing/exact-gateway-client';
import { sharedPlatform } from './testing/platform';

const internalPaths = ['/internal/authorize', '/internal/accounts', '/pluto/internal/x', '/internal/deliveries/1'];
const closedPaths = [...internalPaths, '/metrics', '/health/ready', '/health/live', '/', '/jwks', '/api'];

/** Every request needs credentials but /public; a role opens a path, and nothing opens the inside. */
describe('the paths that a caller can reach through the gateway', () => {
  const platform = sharedPlatform();
  const gateway = new ExactGatewayClient(platform);
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
