import { Socket } from 'node:net';
import { Pool } from 'undici';
import { OutboundGuard } from './outbound-guard';
import type { OutboundPolicy } from './policy/outbound-policy';
import { targetOf } from './policy/url-rules';
import { probeLimits, UrlProber } from './probe/url-prober';
import { honestUrls, inwardNames, inwardUrls, malformedUrls, publicV4, publicV6, TestDnsServer } from './testing';

/** Every refusal here follows from a rule; no verdict may result from a late answer of a busy machine. */
const patienceMs = 120_000;
const overTls = (url: string) => url.replace('http://', 'https://').replace(':8080/', ':8443/');

describe('outbound requests to inward addresses (T-11)', () => {
  let dns: TestDnsServer;
  let dials: jest.SpyInstance;

  beforeAll(async () => {
    dns = await TestDnsServer.start(name => inwardNames.get(name) ?? [publicV4, publicV6]);
  });
  beforeEach(() => {
    dials = jest.spyOn(Socket.prototype, 'connect');
  });
  afterEach(() => dials.mockRestore());
  afterAll(() => dns.stop());

  const guard = (policy: Partial<OutboundPolicy> = {}) =>
    new OutboundGuard({ environment: 'sandbox', allow: [], dnsServers: [dns.address], lookUpTimeoutMs: patienceMs, ...policy });

  it('tries at least 200 spellings, and no spelling twice', () => {
    const all = [...inwardUrls, ...malformedUrls];
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(200);
    expect(new Set(honestUrls.map(({ url }) => url)).size).toBeGreaterThanOrEqual(30);
  });

  it.each(['sandbox', 'production'] as const)(
    'the probe refuses every one of them in %s, and nothing is dialled',
    async environment => {
      const prober = new UrlProber(guard({ environment }), 'test');
      const passed: string[] = [];
      // In production the same hosts by https, so that it is not the scheme that refuses them.
      const inward = environment === 'sandbox' ? inwardUrls : inwardUrls.map(overTls);
      for (const url of [...inward, ...malformedUrls]) {
        const { detail } = await prober.probe(url, {}, { ...probeLimits, totalMs: patienceMs, connectMs: patienceMs });
        if (detail !== 'NOT_ALLOWED') passed.push(`${url} ${detail}`);
      }
      expect(passed).toEqual([]);
      expect(dials).not.toHaveBeenCalled();
    },
  );

  it('control: a dial would have been seen', async () => {
    const pool = new Pool('http://127.0.0.1:1', {
      connect: guard({ allow: ['127.0.0.1/32'] }).connector({ connectTimeoutMs: patienceMs }),
    });
    await expect(pool.request({ method: 'POST', path: '/' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await pool.destroy();
    expect(dials).toHaveBeenCalledTimes(1);
  });

  it('no honest URL is refused', async () => {
    const refused: string[] = [];
    for (const environment of ['sandbox', 'production'] as const) {
      for (const { url } of honestUrls.filter(({ isProduction }) => isProduction || environment === 'sandbox')) {
        const verdict = guard({ environment }).checkUrl(url);
        const addresses = verdict.ok ? (await guard({ environment }).resolve(targetOf(verdict.url))).addresses : [];
        if (addresses.length === 0) refused.push(url);
      }
    }
    expect(refused).toEqual([]);
  });

  it('plain HTTP and IP literals are for the sandbox (R-8-6)', () => {
    const passed = honestUrls.filter(
      ({ isProduction, url }) => !isProduction && guard({ environment: 'production' }).checkUrl(url).ok,
    );
    expect(passed).toEqual([]);
  });
});
