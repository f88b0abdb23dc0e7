import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { KeyRing, PayloadSealer, sealCredential, WebhookKeySealer } from '@paycode/crypto';
import type { Route } from '@paycode/dto';
import { isOurFault, OutboundGuard, type OutboundPolicy } from '@paycode/safe-http';
import { type NginxDemands, NginxReceiver, TestAuthority } from '@paycode/safe-http/testing';
import { scrape } from '@paycode/service-runtime/metrics';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { SystemClock } from '@paycode/service-runtime/timing';
import type { AttemptOutcome } from '../deliveries/domain/delivery';
import { delivery } from '../deliveries/testing/samples';
import { PlainSealer, routeTo } from '../dispatcher/testing/fakes';
import { AckDeadlines } from './ack-deadlines';
import { ConnectFirst, PostWebhook } from './post-webhook';
import { UndiciWebhookClient } from './undici-webhook.client';
import { KeyRingWebhookSealer } from './webhook-sealer';

const patienceMs = 120_000;
/** Files are looked at once a second. */
const reloadMs = 1_050;
const secret = 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==';

/** proves: T-59 */
describe('a merchant whose server tells the platform by a credential', () => {
  const ring = () => KeyRing.parse(`k:${randomBytes(32).toString('base64')}`);
  const keys = new WebhookKeySealer(ring());
  let authority: TestAuthority;
  let nginx: NginxReceiver;
  let client: UndiciWebhookClient;
  let posting: PostWebhook;
  let connecting: ConnectFirst;
  let files: { clientCertFile: string; clientKeyFile: string };
  const later = undoneAfterEach();

  beforeAll(async () => {
    authority = await TestAuthority.create();
    const folder = join(authority.caFile, '..');
    files = { clientCertFile: join(folder, 'client.pem'), clientKeyFile: join(folder, 'client.key') };
  });
  afterAll(() => authority.remove());
  beforeEach(async () => {
    const { cert, key } = await authority.issue({ dns: ['notifications'] });
    writeFileSync(files.clientCertFile, cert);
    writeFileSync(files.clientKeyFile, key);
  });
  const useNginx = async (demands: Partial<NginxDemands> = {}, certificate: Partial<OutboundPolicy> = files) => {
    nginx = await NginxReceiver.start(authority, { header: { name: 'authorization', value: secret }, ...demands });
    const clock = new SystemClock();
    const policy = { environment: 'sandbox', allow: ['127.0.0.0/8'], caFile: authority.caFile, ...certificate } as const;
    const guard = new OutboundGuard(policy);
    const connect = guard.connector({ connectTimeoutMs: patienceMs });
    const connectWithCertificate = guard.connector({ connectTimeoutMs: patienceMs, showsCertificate: true });
    client = new UndiciWebhookClient({ connect, connectWithCertificate, isOurFault, clock });
    const sealer = new KeyRingWebhookSealer(new PayloadSealer(ring()), keys);
    const plain = new PlainSealer();
    sealer.bodyOf = (notification, route) => plain.bodyOf(notification, route);
    const options = { ackWindowMs: patienceMs, connectBudgetMs: patienceMs, userAgent: 'Paycode/test' };
    const deadlines = new AckDeadlines(clock);
    posting = new PostWebhook(client, sealer, deadlines, clock, options);
    connecting = new ConnectFirst(client, deadlines, clock, options);
    later(async () => {
      client.close();
      await nginx.stop();
    });
  };

  const routeOf = (merchantId: number, value: string | undefined, changes: Partial<Route> = {}): Route => {
    const sealedFor = { merchantId, url: nginx.url };
    const sealedCredential = value === undefined ? null : sealCredential(keys, { name: 'authorization', value }, sealedFor);
    return routeTo(nginx.url, { merchantId, sealedCredential, ...changes });
  };
  const post = async (route: Route, prepared = route): Promise<AttemptOutcome> => {
    const connection = await connecting.to(prepared);
    if ('code' in connection) throw new Error(connection.code);
    const { merchantId } = route;
    const before = nginx.requests.length;
    const underWay = posting.start(delivery(merchantId, { merchantId }), route, { mayPost: () => true, connection });
    const outcome = await underWay.outcome;
    await underWay.freed;
    // nginx answers before it writes its log.
    if (outcome.kind === 'STATUS') await eventually(() => expect(nginx.requests).toHaveLength(before + 1));
    return outcome;
  };
  /** As Prometheus reads it, for the alerts on its end. */
  const endsAtS = async () => Number(/client_certificate_not_after_timestamp_seconds (\d+)$/m.exec(await scrape())![1]);
  const connections = () => nginx.requests.map(({ connection }) => connection);

  it('each request carries it, and a wrong one is an attempt that was answered 401', async () => {
    await useNginx();
    expect(await post(routeOf(1, secret))).toMatchObject({ kind: 'STATUS', status: 200 });
    expect(await post(routeOf(1, 'Basic guess'))).toMatchObject({ kind: 'STATUS', status: 401 });
    expect(await post(routeOf(1, undefined))).toMatchObject({ kind: 'STATUS', status: 401 });
  });

  it('its connections serve it alone; merchants without one share theirs', async () => {
    await useNginx();
    const routes = [routeOf(1, secret), routeOf(2, secret), routeOf(1, secret), routeOf(2, secret)];
    for (const route of routes) expect(await post(route)).toMatchObject({ status: 200 });
    const [one, two, ...again] = connections();
    expect([one === two, again]).toEqual([false, [one, two]]);
  });

  it('a credential that came while a connection was opened does not go over the shared one', async () => {
    await useNginx();
    expect(await post(routeOf(1, secret), routeOf(1, undefined))).toMatchObject({ status: 200 });
    expect(await post(routeOf(1, secret))).toMatchObject({ status: 200 });
    expect(client.idleOf(new URL(nginx.url).origin)).toBe(1);
    expect(new Set(connections()).size).toBe(1);
  });

  it('a credential of another URL or merchant cannot be opened: the platform is at fault, and nothing is sent', async () => {
    await useNginx();
    const { sealedCredential } = routeOf(1, secret);
    const stolen = [
      routeOf(2, undefined, { sealedCredential }),
      routeOf(1, undefined, { url: `${nginx.url}?`, sealedCredential }),
    ];
    for (const route of stolen) expect(await post(route)).toEqual({ kind: 'OUR_FAULT', code: 'NOT_AUTHENTIC', isSent: false });
    expect(nginx.requests).toEqual([]);
  });

  describe('and demands a client certificate', () => {
    const routeWithCertificate = (merchantId: number) => ({ ...routeOf(merchantId, secret), hasClientCertificate: true });

    it('shows it on connections of its own, and on no other; nginx answers 400 without it', async () => {
      await useNginx({ clientCaFile: authority.caFile });
      expect(await post(routeWithCertificate(1))).toMatchObject({ status: 200 });
      expect(await post(routeOf(1, secret))).toMatchObject({ status: 400 });
      expect(await post(routeWithCertificate(2))).toMatchObject({ status: 200 });
      expect(nginx.requests.map(({ client }) => client)).toEqual(['SUCCESS', 'NONE', 'SUCCESS']);
      expect(new Set(connections()).size).toBe(3);
    });

    it('a certificate of another authority is an attempt that was answered 400', async () => {
      const other = await TestAuthority.create();
      later(async () => other.remove());
      await useNginx({ clientCaFile: other.caFile });
      expect(await post(routeWithCertificate(1))).toMatchObject({ status: 400 });
      expect(nginx.requests[0]!.client).toMatch(/^FAILED/);
    });

    it('a renewed one is shown without a restart, and its end is told; half of it, or one that cannot be read, leaves the one before', async () => {
      await useNginx({ clientCaFile: authority.caFile });
      const next = await TestAuthority.create();
      later(async () => next.remove());
      const notAfter = new Date('2099-01-01T00:00:00Z');
      const { cert, key } = await next.issue({ dns: ['next'], notAfter });
      writeFileSync(files.clientCertFile, cert);
      const shown = async (id: number) => {
        await post(routeWithCertificate(id));
        return nginx.requests.at(-1)!.client;
      };
      await pause(reloadMs);
      expect(await shown(1)).toBe('SUCCESS');
      expect(await endsAtS()).toBeLessThan(notAfter.getTime() / 1_000);
      writeFileSync(files.clientKeyFile, key);
      await pause(reloadMs);
      expect(await endsAtS()).toBe(notAfter.getTime() / 1_000);
      expect(await shown(2)).toMatch(/^FAILED/);
    });

    it('a platform without one is at fault itself, and does not connect', async () => {
      await useNginx({}, {});
      await expect(post(routeWithCertificate(1))).rejects.toMatchObject({ code: 'NO_CLIENT_CERTIFICATE' });
    });
  });
});
