import { isOurFault, OutboundGuard } from '@paycode/safe-http';
import { TestAuthority, TestDnsServer } from '@paycode/safe-http/testing';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { ManualClock } from '@paycode/service-runtime/timing/testing';
import { silence, status, WireReceiver } from '../testing/wire-receiver';
import type { PostFault } from './post-webhook';
import { UndiciWebhookClient } from './undici-webhook.client';

/** No verdict here may result from a late answer of a busy machine. */
const patienceMs = 120_000;

describe('connections to a host that moves to another address (P-T12)', () => {
  let authority: TestAuthority;
  let clock: ManualClock;
  let dns: TestDnsServer;
  let client: UndiciWebhookClient;
  let [before, after]: WireReceiver[] = [];
  let addresses: string[];
  let url: string;

  const later = undoneAfterEach();
  beforeAll(async () => void (authority = await TestAuthority.create()));
  afterAll(() => authority.remove());

  /** The host is at 127.0.0.1 and moves to 127.0.0.2, where another server listens on the same port. */
  const start = async ({ ttlSeconds = 300, isTls = false } = {}) => {
    const tls = isTls ? await authority.issue({ dns: ['shop.test'] }) : undefined;
    before = await WireReceiver.start(tls);
    after = await WireReceiver.start(tls, { host: '127.0.0.2', port: before.port });
    addresses = ['127.0.0.1'];
    dns = await TestDnsServer.start(() => addresses);
    dns.ttlSeconds = ttlSeconds;
    clock = new ManualClock();
    const guard = new OutboundGuard({
      environment: 'sandbox',
      allow: ['127.0.0.0/8'],
      dnsServers: [dns.address],
      lookUpTimeoutMs: patienceMs,
      caFile: authority.caFile,
    });
    client = new UndiciWebhookClient({ connect: guard.connector({ connectTimeoutMs: patienceMs }), isOurFault, clock });
    url = `http${isTls ? 's' : ''}://shop.test:${before.port}/hook`;
    later(async () => {
      client.close();
      await Promise.all([before!.stop(), after!.stop(), dns.stop()]);
    });
  };

  const post = () =>
    new Promise<number | PostFault>(resolve => {
      let outcome: number | PostFault;
      client.post(
        { url, headers: {}, body: 'x', onFreshSocket: false },
        {
          sent: () => undefined,
          answered: code => (outcome = code),
          failed: fault => (outcome = fault),
          done: () => resolve(outcome),
        },
      );
    });
  const posted = () => [before!.requests.length, after!.requests.length];

  it.each([
    { ttlSeconds: 300, isTls: false, keptMs: 45_000, agedMs: 60_000 },
    { ttlSeconds: 300, isTls: true, keptMs: 45_000, agedMs: 60_000 },
    { ttlSeconds: 20, isTls: false, keptMs: 15_000, agedMs: 20_000 },
    { ttlSeconds: 0, isTls: false, keptMs: 3_750, agedMs: 5_000 },
  ])(
    'regression: with a TTL of $ttlSeconds s it gets its payments at the new address after $agedMs ms, although the old server goes on answering 200 (TLS: $isTls)',
    async ({ ttlSeconds, isTls, keptMs, agedMs }) => {
      await start({ ttlSeconds, isTls });
      expect(await post()).toBe(200);
      addresses = ['127.0.0.2'];
      await clock.advance(keptMs - 1);
      expect(await post()).toBe(200);
      expect([posted(), before!.totalConnections]).toEqual([[2, 0], 1]);
      await clock.advance(agedMs - keptMs + 1);
      expect(await post()).toBe(200);
      expect(posted()).toEqual([2, 1]);
    },
  );

  it.each([201, 204, 302, 404, 408, 500, 503])(
    'regression: after the answer %i the next payment goes to the new address, although the old server keeps the connection',
    async code => {
      await start();
      expect(await post()).toBe(200);
      addresses = ['127.0.0.2'];
      before!.answer = status(code, 'connection: keep-alive\r\nkeep-alive: timeout=600\r\n');
      expect(await post()).toBe(code);
      expect(await post()).toBe(200);
      expect(posted()).toEqual([2, 1]);
      await eventually(() => expect(before!.openConnections).toBe(0));
    },
  );

  it('of several addresses, all of which change, a new one is taken', async () => {
    await start({ ttlSeconds: 5 });
    addresses = ['127.0.0.3', '127.0.0.1'];
    expect(await post()).toBe(200);
    addresses = ['127.0.0.4', '127.0.0.2'];
    await clock.advance(5_000);
    expect(await post()).toBe(200);
    expect(posted()).toEqual([1, 1]);
  });

  it('a request under way when its connection becomes too old gets its answer; the next one has another connection', async () => {
    await start();
    before!.answer = silence;
    const slow = post();
    await eventually(() => expect(before!.requests).toHaveLength(1));
    await clock.advance(60_000);
    expect(before!.openConnections).toBe(1);
    addresses = ['127.0.0.2'];
    status(200)(before!.requests[0]!);
    expect(await slow).toBe(200);
    expect(await post()).toBe(200);
    expect(posted()).toEqual([1, 1]);
  });

  it('a free connection that is too old is closed, so that nobody counts on it (P-1.9)', async () => {
    await start();
    await post();
    const { origin } = new URL(url);
    expect(client.idleOf(origin)).toBe(1);
    await clock.advance(60_000);
    expect([client.idleOf(origin), clock.timerCount]).toEqual([0, 0]);
    await eventually(() => expect(before!.openConnections).toBe(0));
  });

  it('connections that were opened together do not end together', async () => {
    await start();
    before!.answer = silence;
    const burst = Array.from({ length: 64 }, () => post());
    await eventually(() => expect(before!.requests).toHaveLength(burst.length));
    for (const request of before!.requests) status(200)(request);
    await Promise.all(burst);
    const { origin } = new URL(url);
    const left: number[] = [];
    for (const ms of [45_000, 5_000, 5_000, 5_000]) {
      await clock.advance(ms);
      left.push(client.idleOf(origin));
    }
    expect(left[0]).toBeGreaterThan(left[1]!);
    expect(left[1]).toBeGreaterThan(left[2]!);
    expect(left[2]).toBeGreaterThan(left[3]!);
    expect(left[3]).toBe(0);
  });
});
