import { Socket } from 'node:net';
import { isOurFault, OutboundGuard, targetOf } from '@paycode/safe-http';
import {
  type DnsAnswer,
  inwardNames,
  inwardUrls,
  publicV4,
  RawReceiver,
  TestAuthority,
  TestDnsServer,
} from '@paycode/safe-http/testing';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { ManualClock } from '@paycode/service-runtime/timing/testing';
import { SystemClock } from '@paycode/service-runtime/timing';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { silence, status, WireReceiver } from '../testing/wire-receiver';
import type { PostFault } from './post-webhook';
import { UndiciWebhookClient } from './undici-webhook.client';
import { migrations } from '../../migrations';
import { terminalEvent } from '../deliveries/testing/samples';
import { Replica } from '../dispatcher/testing/replica';

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

const request = (url: string) => ({ url, headers: {}, body: 'x', onFreshSocket: false });

describe('deliveries to URLs that lead inward (T-11)', () => {
  let dns: TestDnsServer;
  let rebound = false;

  beforeAll(async () => {
    dns = await TestDnsServer.start(name => {
      if (name === 'rebinding.test') return rebound ? ['10.0.0.1'] : ['127.0.0.1'];
      return inwardNames.get(name) ?? [publicV4];
    });
  });
  afterEach(() => jest.restoreAllMocks());
  const later = undoneAfterEach();
  afterAll(() => dns.stop());

  const clientAllowing = (allow: string[]) => {
    const guard = new OutboundGuard({ environment: 'sandbox', allow, dnsServers: [dns.address], lookUpTimeoutMs: patienceMs });
    const connect = guard.connector({ connectTimeoutMs: patienceMs });
    return new UndiciWebhookClient({ connect, isOurFault, clock: new SystemClock() });
  };

  const outcomeOf = (client: UndiciWebhookClient, url: string) =>
    new Promise<number | PostFault>(resolve => {
      let outcome: number | PostFault;
      client.post(request(url), {
        sent: () => undefined,
        answered: status => (outcome = status),
        failed: fault => (outcome = fault),
        done: () => resolve(outcome),
      });
    });

  it('every spelling fails as the receiver’s fault, and nothing is dialled', async () => {
    const dials = jest.spyOn(Socket.prototype, 'connect');
    const client = clientAllowing([]);
    later(() => client.close());
    const passed: string[] = [];
    for (const url of inwardUrls.filter(text => URL.canParse(text))) {
      const outcome = await outcomeOf(client, url);
      if (typeof outcome === 'number' || outcome.code !== 'OUTBOUND_REFUSED' || outcome.isOurs)
        passed.push(`${url} ${JSON.stringify(outcome)}`);
    }
    expect(passed).toEqual([]);
    expect(dials).not.toHaveBeenCalled();
  });

  it('a name that resolved outward is vetted again for every new connection', async () => {
    const receiver = await RawReceiver.start(socket =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
    );
    later(() => receiver.stop());
    const client = clientAllowing(['127.0.0.0/8']);
    later(() => client.close());
    const url = `http://rebinding.test:${receiver.port}/`;
    expect(await outcomeOf(client, url)).toBe(200);
    rebound = true;
    expect(await outcomeOf(client, url)).toMatchObject({ code: 'OUTBOUND_REFUSED', isOurs: false });
    expect(receiver.connections).toBe(1);
  });
});

describe('name servers that fail for a zone (P-T8, F-32)', () => {
  let database: TestDatabase;
  let replica: Replica;
  let guard: OutboundGuard;
  let servers: TestDnsServer[];
  let receiver: WireReceiver;
  /** The answer of each name server for the receiver's name, and for any other name. */
  let zone: DnsAnswer[];
  let others: DnsAnswer;
  const later = undoneAfterEach();

  beforeEach(async () => {
    database = await createTestDatabase({ migrations, poolMax: 20 });
    later(() => database.drop());
    receiver = await WireReceiver.start();
    later(() => receiver.stop());
    zone = ['SERVFAIL', 'SERVFAIL'];
    others = ['127.0.0.1'];
    const start = (at: number) => TestDnsServer.start(name => (name === 'shop.test' ? zone[at]! : others));
    servers = await Promise.all([start(0), start(1)]);
    for (const server of servers) later(() => server.stop());
    guard = new OutboundGuard({
      environment: 'sandbox',
      allow: ['127.0.0.0/8'],
      dnsServers: servers.map(({ address }) => address),
      lookUpTimeoutMs: patienceMs,
    });
    const connect = guard.connector({ connectTimeoutMs: patienceMs });
    const poster = new UndiciWebhookClient({ connect, isOurFault, clock: new SystemClock() });
    later(() => poster.close());
    replica = await new Replica(database.dataSource, { ports: { poster } }).own();
    replica.routes.url = receiver.url.replace(/localhost|127\.0\.0\.1/, 'shop.test');
    await replica.dispatcher.intake.record([terminalEvent(1)]);
  });

  // Whether the look-up fails is up to the test.
  const lookUpAnother = () => guard.resolve(targetOf(new URL('https://other.test'))).catch(() => undefined);
  const heldBack = () => replica.metrics.faults.map(fault => (fault as { code: string }).code);
  const verdicts = () =>
    database.dataSource.query<{ kind: string; outcome: string | null }[]>('select kind, outcome from verdict');
  /** Another name is looked up before each try, and the payment is tried again, until so much time has passed in all. */
  const tryFor = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 2_500) {
      await lookUpAnother();
      const before = heldBack().length;
      await replica.clock.advance(2_500);
      await replica.dispatcher.shards.pass();
      await eventually(async () => expect(heldBack().length > before || (await verdicts()).length > 0).toBe(true), patienceMs);
    }
  };

  it('all of them failed for 45 s, and served another name: it is the connection error of the receiver', async () => {
    await lookUpAnother();
    await eventually(() => expect(heldBack().length).toBeGreaterThan(0), patienceMs);
    await tryFor(40_000);
    expect(await verdicts()).toEqual([]);
    await eventually(async () => {
      await tryFor(2_500);
      expect(await verdicts()).toEqual([{ kind: 'CLOSED_CONN', outcome: 'CONNECTION: ZONE_FAILED' }]);
    }, patienceMs);
    expect(heldBack()).toContain('ZONE_FAILED');
  });

  it('a zone that is served again within the 45 s gets its payment', async () => {
    await tryFor(30_000);
    expect(heldBack()).toContain('ZONE_FAILED');
    zone = [['127.0.0.1'], ['127.0.0.1']];
    await replica.clock.advance(2_500);
    await eventually(async () => expect(await verdicts()).toMatchObject([{ kind: 'ACKED_HTTP' }]), patienceMs);
  });

  it.each<[string, () => void]>([
    ['fail for every name, as when they are cut off', () => (others = 'SERVFAIL')],
    ['know no other name', () => (others = 'NXDOMAIN')],
    ['do not all fail: one refuses to answer', () => (zone[1] = 'REFUSED')],
    ['answer other names from their caches only', () => servers.forEach(server => (server.ttlSeconds = 3_600))],
  ])('it is a fault of ours until B when they %s', async (_case, arrange) => {
    arrange();
    await tryFor(100_000);
    expect(await verdicts()).toEqual([]);
    expect(new Set(heldBack())).toEqual(new Set(['EAI_AGAIN']));
  });
});
