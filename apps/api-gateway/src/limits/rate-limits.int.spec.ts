import { eventually } from '@paycode/service-runtime/testing';
import { GatewayUnderTest } from '../testing';
import { RateLimits } from './rate-limits.service';

describe('request rates', () => {
  const basic = (text: string) => ({ headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` } });

  it('beyond its rate a credential gets a JSON 429 with Retry-After; others go on', async () => {
    const gateway = await GatewayUnderTest.start({ CREDENTIAL_RATE_PER_S: '1', CREDENTIAL_RATE_BURST: '3' });
    const first = await Promise.all(Array.from({ length: 8 }, () => gateway.send('/pluto/code/x', basic('psp-1:a'))));
    const refused = first.filter(answer => answer.status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(4);
    expect(refused[0]!.body).toMatchObject({ status: 429, error: 'Too Many Requests', path: '/pluto/code/x' });
    expect(Number(refused[0]!.headers['retry-after'])).toBe(1);
    expect(gateway.auth.seen.length).toBe(first.length - refused.length);
    expect((await gateway.send('/pluto/code/x', basic('psp-2:b'))).status).toBe(200);
    await eventually(async () => expect((await gateway.send('/pluto/code/x', basic('psp-1:a'))).status).toBe(200));
    await gateway.stop();
  });

  it('beyond its rate an address is refused before auth-session is asked', async () => {
    const gateway = await GatewayUnderTest.start({ ADDRESS_RATE_PER_S: '1', ADDRESS_RATE_BURST: '3' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.send('/public/x')));
    const passed = answers.filter(answer => answer.status === 200).length;
    expect(passed).toBeLessThanOrEqual(4);
    expect(gateway.auth.seen.length).toBe(passed);
    await gateway.stop();
  });

  it('T-26: behind a named proxy each client has its own rate; a forged address gains nothing without one', () => {
    const limits = new RateLimits({ addressPerS: 1, addressBurst: 1, credentialPerS: 0, credentialBurst: 1 });
    const admit = (address: string) => limits.admit({ address, authorization: [], nowMs: 0 });
    expect([admit('192.0.2.1'), admit('192.0.2.2'), admit('192.0.2.1')]).toEqual([0, 0, 1]);
  });

  it('an IPv6 client has one rate for its whole /64', () => {
    const limits = new RateLimits({ addressPerS: 1, addressBurst: 1, credentialPerS: 0, credentialBurst: 1 });
    const admit = (address: string) => limits.admit({ address, authorization: [], nowMs: 0 });
    expect([admit('2001:db8:0:1::1'), admit('2001:db8:0:1:ffff::2'), admit('2001:db8:0:2::1')]).toEqual([0, 1, 0]);
  });
});
