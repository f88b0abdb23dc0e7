import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { isOurFault, OutboundGuard, targetOf } from '@paycode/safe-http';
import { type DnsAnswer, TestDnsServer } from '@paycode/safe-http/testing';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { SystemClock } from '@paycode/service-runtime/timing';
import { migrations } from '../../migrations';
import { terminalEvent } from '../deliveries/testing/samples';
import { Replica } from '../dispatcher/testing/replica';
import { WireReceiver } from '../testing/wire-receiver';
import { UndiciWebhookClient } from './undici-webhook.client';

/** Failures of the name servers come at once, so no verdict results from this limit on a busy machine. */
const patienceMs = 120_000;

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
