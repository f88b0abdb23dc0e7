import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Pool } from 'undici';
import { isOurFault } from '../outbound-errors';
import { OutboundGuard } from '../outbound-guard';
import { answering, RawReceiver, TestAuthority, TestDnsServer } from '../testing';

const patienceMs = 120_000;

describe('the egress proxy', () => {
  let proxy: Server;
  let dns: TestDnsServer;
  let authority: TestAuthority;
  let receiver: RawReceiver;
  let asked: string[];
  let refusal: number | null;
  let addresses: string[];

  beforeAll(async () => {
    authority = await TestAuthority.create();
    receiver = await RawReceiver.start(answering(200), await authority.issue({ dns: ['shop.test'] }));
    dns = await TestDnsServer.start(name => (name === 'inward.test' ? ['10.0.0.1'] : addresses));
    proxy = createServer().on('connect', (request, socket: Socket) => {
      asked.push(request.url!);
      if (refusal || request.url!.startsWith('127.0.0.9:')) return void socket.end(`HTTP/1.1 ${refusal ?? 502} X\r\n\r\n`);
      const upstream = connect(receiver.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    asked = [];
    refusal = null;
    addresses = ['127.0.0.1'];
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    await Promise.all([new Promise(resolve => proxy.close(resolve)), receiver.stop(), dns.stop()]);
    authority.remove();
  });

  const proxyUrl = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

  async function post(origin: string, through: string | null = proxyUrl()): Promise<number> {
    const guard = new OutboundGuard({
      environment: 'sandbox',
      allow: ['127.0.0.0/8'],
      dnsServers: [dns.address],
      lookUpTimeoutMs: patienceMs,
      caFile: authority.caFile,
      proxy: through,
    });
    const pool = new Pool(origin, { connect: guard.connector({ connectTimeoutMs: patienceMs }) });
    try {
      const { statusCode, body } = await pool.request({ method: 'POST', path: '/', body: 'x' });
      await body.dump();
      return statusCode;
    } finally {
      await pool.destroy();
    }
  }

  it('is handed the vetted address, never the name; TLS is verified end to end (T-11)', async () => {
    expect(await post('https://shop.test:9443')).toBe(200);
    expect(asked).toEqual(['127.0.0.1:9443']);
    expect(receiver.received.join('')).toContain('host: shop.test:9443');
  });

  it('regression: when it cannot reach the first address, it is handed the next', async () => {
    addresses = ['127.0.0.9', '127.0.0.1'];
    expect(await post('https://shop.test:9443')).toBe(200);
    expect(asked).toEqual(['127.0.0.9:9443', '127.0.0.1:9443']);
  });

  it('the guard stays on behind it (T-11)', async () => {
    await expect(post('https://inward.test')).rejects.toMatchObject({ code: 'OUTBOUND_REFUSED' });
    expect(asked).toEqual([]);
  });

  it('is used only when configured: the environment is not read', async () => {
    process.env['HTTPS_PROXY'] = process.env['https_proxy'] = proxyUrl();
    try {
      expect(await post(`https://shop.test:${receiver.port}`, null)).toBe(200);
      expect(asked).toEqual([]);
    } finally {
      delete process.env['HTTPS_PROXY'];
      delete process.env['https_proxy'];
    }
  });

  it.each([
    [502, false],
    [504, false],
    [407, true],
    [403, true],
  ])('its answer %d is our fault: %s (P-T8)', async (status, isOurs) => {
    refusal = status;
    const failure = await post('https://shop.test').catch((error: unknown) => error);
    expect([failure, isOurFault(failure)]).toEqual([expect.any(Error), isOurs]);
  });

  it('a proxy that is down is our fault (P-T8)', async () => {
    const failure = await post('https://shop.test', 'http://127.0.0.1:1').catch((error: unknown) => error);
    expect(isOurFault(failure)).toBe(true);
  });
});
