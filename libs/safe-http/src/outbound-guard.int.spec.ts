import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Pool } from 'undici';
import { isOurFault, OutboundRefusedError } from './outbound-errors';
import { OutboundGuard } from './outbound-guard';
import type { OutboundPolicy } from './policy/outbound-policy';
import { answering, type DnsAnswer, RawReceiver, TestAuthority, TestDnsServer } from './testing';

const loopback = ['127.0.0.0/8', '::1/128'];

const patienceMs = 120_000;

async function postThrough(guard: OutboundGuard, origin: string): Promise<number> {
  const pool = new Pool(origin, { connect: guard.connector({ connectTimeoutMs: patienceMs }) });
  try {
    const { statusCode, body } = await pool.request({ method: 'POST', path: '/', body: 'x' });
    await body.dump();
    return statusCode;
  } finally {
    await pool.destroy();
  }
}

describe('the connector of the outbound guard', () => {
  let receiver: Server;
  let port: number;
  let hosts: string[];
  let dns: TestDnsServer;
  const answers = new Map<string, (query: number, family: 4 | 6) => DnsAnswer | Promise<DnsAnswer>>();

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      hosts.push(request.headers.host!);
      request.resume().on('end', () => response.end('ok'));
    });
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    port = (receiver.address() as AddressInfo).port;
    dns = await TestDnsServer.start((name, query, family) => answers.get(name)?.(query, family) ?? 'NXDOMAIN');
  });
  beforeEach(() => {
    hosts = [];
    answers.clear();
  });
  afterAll(async () => {
    await dns.stop();
    receiver.closeAllConnections();
    await new Promise(resolve => receiver.close(resolve));
  });

  const guard = (policy: Partial<OutboundPolicy> = {}) =>
    new OutboundGuard({
      environment: 'sandbox',
      allow: loopback,
      dnsServers: [dns.address],
      lookUpTimeoutMs: patienceMs,
      ...policy,
    });

  const post = (origin: string, policy: Partial<OutboundPolicy> = {}) => postThrough(guard(policy), origin);

  it('dials the vetted address and keeps the Host of the URL (T-11)', async () => {
    answers.set('shop.test', () => ['127.0.0.1']);
    expect(await post(`http://shop.test:${port}`)).toBe(200);
    expect(hosts).toEqual([`shop.test:${port}`]);
  });

  it('a name is resolved once a connection; an answer that changes afterwards changes nothing (T-11)', async () => {
    answers.set('rebind.test', query => (query === 0 ? ['127.0.0.1'] : ['10.0.0.1']));
    expect(await post(`http://rebind.test:${port}`)).toBe(200);
    expect(dns.queries.filter(query => query === 'rebind.test 1')).toHaveLength(1);
  });

  it('one address that is not allowed refuses the name, whatever the others are (T-11)', async () => {
    answers.set('mixed.test', () => ['127.0.0.1', '10.0.0.1']);
    await expect(post(`http://mixed.test:${port}`)).rejects.toBeInstanceOf(OutboundRefusedError);
    answers.set('mixed6.test', () => ['127.0.0.1', '::ffff:127.0.0.1']);
    await expect(post(`http://mixed6.test:${port}`)).rejects.toBeInstanceOf(OutboundRefusedError);
    expect(hosts).toEqual([]);
  });

  it('without an allow-list the loopback is refused, by name and by literal (T-11)', async () => {
    answers.set('inward.test', () => ['127.0.0.1']);
    for (const origin of ['http://inward.test:8080', 'http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']) {
      await expect(post(origin, { allow: [] })).rejects.toMatchObject({
        code: 'OUTBOUND_REFUSED',
        refusal: 'ADDRESS_NOT_ALLOWED',
      });
    }
  });

  it('another port is for allow-listed addresses of the sandbox only (R-8-6, A-82)', async () => {
    answers.set('public.test', () => ['93.184.216.34']);
    answers.set('mixed.test', () => ['127.0.0.1', '93.184.216.34']);
    await expect(post('http://mixed.test:8081')).rejects.toMatchObject({ refusal: 'SCHEME_OR_PORT' });
    await expect(post('http://missing.test:8081')).rejects.toMatchObject({ refusal: 'SCHEME_OR_PORT' });
    expect(guard({ allow: [] }).checkUrl('http://missing.test:8081')).toEqual({ ok: false, reason: 'SCHEME_OR_PORT' });
    await expect(post('http://public.test:8081')).rejects.toMatchObject({ refusal: 'SCHEME_OR_PORT' });
    await expect(post(`http://localhost:${port}`, { environment: 'production' })).rejects.toMatchObject({
      refusal: 'SCHEME_OR_PORT',
    });
  });

  it('a deny-list wins over everything', async () => {
    await expect(post(`http://127.0.0.1:${port}`, { deny: ['127.0.0.1/32'] })).rejects.toMatchObject({
      refusal: 'ADDRESS_NOT_ALLOWED',
    });
  });

  it('a name without an address counts against the receiver, a silent or failing resolver does not (P-T8)', async () => {
    const missing = await post('http://missing.test:8080').catch((error: unknown) => error);
    expect([missing, isOurFault(missing)]).toEqual([expect.objectContaining({ code: 'ENOTFOUND' }), false]);
    for (const [failure, lookUpTimeoutMs] of [
      ['SERVFAIL', patienceMs],
      ['SILENCE', 1_000],
    ] as const) {
      answers.set('broken.test', () => failure);
      const failed = await post('http://broken.test:8080', { lookUpTimeoutMs }).catch((error: unknown) => error);
      expect([failed, isOurFault(failed)]).toEqual([expect.objectContaining({ code: 'EAI_AGAIN' }), true]);
    }
  });

  it('tries the next vetted address when one does not answer', async () => {
    answers.set('several.test', () => ['127.0.0.2', '::1', '127.0.0.1']);
    expect(await post(`http://several.test:${port}`)).toBe(200);
  });

  it.each([5, 12])('regression: %d dead addresses before the live one do not make a name unreachable (RFC 8305)', async count => {
    const dead = Array.from({ length: count }, (_, n) => `127.0.0.${n + 2}`);
    answers.set('mostly-dead.test', () => [...dead, '127.0.0.1']);
    expect(await post(`http://mostly-dead.test:${port}`)).toBe(200);
  });

  it('each of many addresses is checked before one is dialled (T-11)', async () => {
    answers.set('mostly-open.test', () => [...Array.from({ length: 20 }, (_, n) => `127.0.0.${n + 1}`), '10.0.0.1']);
    await expect(post(`http://mostly-open.test:${port}`)).rejects.toBeInstanceOf(OutboundRefusedError);
    expect(hosts).toEqual([]);
  });

  describe('name servers that answer for one family only', () => {
    // A name server that takes longer than the 50 ms for which the other family waits; no verdict depends on how much longer.
    const late = (addresses: DnsAnswer) => new Promise<DnsAnswer>(resolve => setTimeout(resolve, 300, addresses));

    it.each(['SILENCE', 'SERVFAIL', 'REFUSED', 'NXDOMAIN'] as const)(
      'regression: %s for AAAA does not make a host with an A record unreachable, nor the other way round',
      async failure => {
        answers.set('four.test', (_query, family) => (family === 4 ? ['127.0.0.1'] : failure));
        answers.set('six.test', (_query, family) => (family === 6 ? ['::1'] : failure));
        const six = createServer((_request, response) => response.end('ok'));
        await new Promise<void>(resolve => six.listen(0, '::1', resolve));
        expect(await post(`http://four.test:${port}`)).toBe(200);
        expect(await post(`http://four.test:${port}`)).toBe(200);
        expect(await post(`http://six.test:${(six.address() as AddressInfo).port}`)).toBe(200);
        six.closeAllConnections();
        await new Promise(resolve => six.close(resolve));
      },
    );

    it('regression: an address that comes late is dialled when those of the other family fail', async () => {
      answers.set('late.test', (_query, family) => (family === 6 ? ['::1'] : late(['127.0.0.1'])));
      expect(await post(`http://late.test:${port}`)).toBe(200);
    });

    it('a late address that is not allowed refuses the name (T-11)', async () => {
      answers.set('late.test', (_query, family) => (family === 4 ? ['127.0.0.2'] : late(['fd00::1'])));
      await expect(post(`http://late.test:${port}`)).rejects.toBeInstanceOf(OutboundRefusedError);
    });

    it('when every address fails, the receiver is to blame, also when no address of the other family ever comes (P-T8)', async () => {
      answers.set('dead.test', (_query, family) => (family === 4 ? ['127.0.0.2'] : 'SILENCE'));
      const refused = await post(`http://dead.test:${port}`, { lookUpTimeoutMs: 1_000 }).catch((error: unknown) => error);
      expect([refused, isOurFault(refused)]).toEqual([expect.objectContaining({ code: 'ECONNREFUSED' }), false]);
    });

    it('a name has one query of each family under way, however many connections are opened', async () => {
      answers.set('half.test', (_query, family) => (family === 4 ? ['127.0.0.1'] : 'SILENCE'));
      const pool = new Pool(`http://half.test:${port}`, { connect: guard().connector({ connectTimeoutMs: patienceMs }) });
      for (let n = 0; n < 5; n++) {
        const { body } = await pool.request({ method: 'POST', path: '/', body: 'x', reset: true });
        await body.dump();
      }
      await pool.destroy();
      expect(dns.queries.filter(query => query === 'half.test 28')).toHaveLength(1);
    });
  });

  it('requests leave from the source address that is set, also when an address before does not answer (R-6.2-8)', async () => {
    answers.set('several.test', () => ['127.0.0.2', '::1', '127.0.0.1']);
    const from: (string | undefined)[] = [];
    receiver.on('connection', socket => from.push(socket.remoteAddress));
    expect(await post(`http://several.test:${port}`, { sourceAddresses: ['127.0.0.77'] })).toBe(200);
    expect(from).toEqual(['127.0.0.77']);
    await expect(post(`http://[::1]:${port}`, { sourceAddresses: ['127.0.0.77'] })).rejects.toMatchObject({
      code: 'ENETUNREACH',
    });
    for (const sourceAddresses of [['127.0.0.1', '127.0.0.2'], ['host']]) {
      expect(() => guard({ sourceAddresses })).toThrow('source addresses');
    }
  });

  it('attributes a refused connection to the receiver', async () => {
    const spare = createServer();
    await new Promise<void>(resolve => spare.listen(0, '127.0.0.1', resolve));
    const closedPort = (spare.address() as AddressInfo).port;
    await new Promise(resolve => spare.close(resolve));
    const refused = await post(`http://127.0.0.1:${closedPort}`).catch((error: unknown) => error);
    expect([refused, isOurFault(refused)]).toEqual([expect.objectContaining({ code: 'ECONNREFUSED' }), false]);
  });
});

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

  const post = (origin: string, through: string | null = proxyUrl()) =>
    postThrough(
      new OutboundGuard({
        environment: 'sandbox',
        allow: loopback,
        dnsServers: [dns.address],
        lookUpTimeoutMs: patienceMs,
        caFile: authority.caFile,
        proxy: through,
      }),
      origin,
    );

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
