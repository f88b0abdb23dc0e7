import { Socket } from 'node:net';
import type { ProbeOutcome } from '@paycode/safe-http';
import { inwardNames, inwardUrls, malformedUrls, publicV4, publicV6, TestDnsServer } from '@paycode/safe-http/testing';
import { manyProbes, TestNotificationConfig } from '../testing/running-service';

const merchantId = 9;
const webhookPorts = new Set([80, 443, 8_080, 8_443]);

const originalConnect = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect')!.value as (...args: unknown[]) => Socket;
let dialled: number[] = [];

/** Connections to ports that webhooks may use never leave the machine: the test records each and redirects it to a closed port. */
function intercept(this: Socket, ...args: unknown[]): Socket {
  const options = [args[0]].flat()[0] as { host?: string; port?: number; lookup?: unknown };
  if (webhookPorts.has(Number(options.port))) {
    dialled.push(Number(options.port));
    Object.assign(options, { host: '127.0.0.1', port: 1, lookup: undefined });
  }
  return originalConnect.apply(this, args);
}

describe('addHttp and Check (T-11)', () => {
  let dns: TestDnsServer;
  let service: TestNotificationConfig;

  beforeAll(async () => {
    dns = await TestDnsServer.start((name, query) => {
      // A rebinding name: public when the URL is registered, inward ever after.
      if (name === 'rebinding.test') return query === 0 ? [publicV4] : ['127.0.0.1'];
      return inwardNames.get(name) ?? [publicV4, publicV6];
    });
    service = await TestNotificationConfig.startWith(
      { probes: { ...manyProbes.probes, merchant: manyProbes.probes.caller } },
      { OUTBOUND_ALLOW: '', OUTBOUND_DNS_SERVERS: dns.address },
    );
    await service.saveMerchant(merchantId);
  });
  afterAll(async () => {
    await service.stop();
    await dns.stop();
  });

  beforeEach(() => {
    dialled = [];
    jest.spyOn(Socket.prototype, 'connect').mockImplementation(intercept);
  });
  afterEach(() => jest.restoreAllMocks());

  const store = (url: string) =>
    service.database.dataSource.query(
      `insert into http_notification (merchant_id, url, version, key_id, sealed_key) values ($1, $2, 'V3', 'k', 's')
       on conflict (merchant_id) do update set url = excluded.url`,
      [merchantId, url],
    );
  const stored = () => service.database.dataSource.query<object[]>('select url from http_notification');

  it('addHttp refuses every spelling with the same words, dials nothing and stores nothing', async () => {
    const passed: string[] = [];
    for (const url of [...inwardUrls, ...malformedUrls]) {
      const { status, data } = await service.post('addHttp', { merchantId, url, version: 'V3' });
      const isRefused =
        status === 400 && (data.message === 'URL validation failed: not allowed' || data.errors?.[0].field === 'url');
      if (!isRefused) passed.push(`${url} ${status} ${data.message}`);
    }
    expect(passed).toEqual([]);
    expect(dialled).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  it('Check refuses every URL whose host now resolves to an inward address, and dials nothing', async () => {
    const passed: string[] = [];
    for (const url of inwardUrls) {
      await store(url);
      const { status, data } = await service.internal('post', `/internal/merchants/${merchantId}/check`);
      const isRefused = (data as ProbeOutcome).reason === 'not allowed' || data.message === 'URL validation failed: not allowed';
      if (!isRefused) passed.push(`${url} ${status} ${JSON.stringify(data)}`);
    }
    expect(passed).toEqual([]);
    expect(dialled).toEqual([]);
    await service.database.dataSource.query('delete from http_notification');
  });

  it('a rebinding name is dialled at the vetted address, and refused once it resolves inward', async () => {
    const url = 'http://rebinding.test/hook';
    const first = await service.post('addHttp', { merchantId, url, version: 'V3' });
    const second = await service.post('addHttp', { merchantId, url, version: 'V3' });
    expect([first.data.message, second.data.message]).toEqual([
      'URL validation failed: not reachable',
      'URL validation failed: not allowed',
    ]);
    expect(dialled).toEqual([80]);
  });
});

describe('the ports of a sandbox that allow-lists the loopback (A-82)', () => {
  let dns: TestDnsServer;
  let service: TestNotificationConfig;
  beforeAll(async () => {
    dns = await TestDnsServer.start(name => {
      if (name === 'inward.test') return ['127.0.0.1'];
      return name === 'elsewhere.test' ? [publicV4] : 'NXDOMAIN';
    });
    service = await TestNotificationConfig.start({ OUTBOUND_ALLOW: '127.0.0.0/8', OUTBOUND_DNS_SERVERS: dns.address });
    await service.saveMerchant(merchantId);
  });
  afterAll(async () => {
    await service.stop();
    await dns.stop();
  });

  it.each([
    ['http://127.0.0.1:1/hook', 'not reachable'],
    ['http://inward.test:1/hook', 'not reachable'],
    ['http://elsewhere.test:1/hook', 'not allowed'],
    ['http://missing.test:1/hook', 'not allowed'],
    ['https://missing.test:8443/hook', 'not reachable'],
  ])('%s is %s (R-6.2-6, A-82)', async (url, reason) => {
    const { data } = await service.post('addHttp', { merchantId, url, version: 'V3' });
    expect(data.message).toBe(`URL validation failed: ${reason}`);
  });
});
