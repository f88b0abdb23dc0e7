import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import type { ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { GatewayUnderTest } from '../testing/gateway-under-test';
import { SlowReaders, type SlowRequests } from '../testing/slow-readers';
import { json } from '../testing/stub-service';

const page = `${'x'.repeat(345_000)}END`;
const large = `${'x'.repeat(3_000_000)}END`;

/** The value of the first series of a metric of the gateway that has this label; 0 where there is none. */
async function metric(gateway: GatewayUnderTest, name: string, label = ''): Promise<number> {
  const url = `http://127.0.0.1:${gateway.service.ports.internal}/metrics`;
  const metrics = await fetch(url).then(answer => answer.text());
  const line = new RegExp(`^paycode_api_gateway_${name}(?:\\{.*${label}.*\\})? (\\d+)$`, 'm');
  return Number(line.exec(metrics)?.[1] ?? 0);
}

/** How often the gateway cut off or refused a reader for this reason. */
const refusals = (gateway: GatewayUnderTest, reason: string) => metric(gateway, 'readers_refused_total', `reason="${reason}"`);

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('clients that read slowly (T-12)', () => {
  const later = undoneAfterEach();
  let gateway: GatewayUnderTest;
  const start = async (idleTimeoutMs = 65_000) => {
    gateway = await GatewayUnderTest.start({}, { upstreamConnectionsMax: 8, idleTimeoutMs });
    later(() => gateway.stop());
    const bodies: Record<string, string> = { '/console/page': page, '/console/large': large };
    gateway.upstream.answer = ({ url }, response) => {
      const body = bodies[url];
      if (body) response.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length }).end(body);
      else json(response, { from: 'upstream' });
    };
  };
  const open = async (requests: Omit<SlowRequests, 'port'>) => {
    const readers = await SlowReaders.open({ port: gateway.port, ...requests });
    later(() => readers.close());
    return readers;
  };

  it('regression: clients of one address that do not read an answer keep no connection to its service', async () => {
    await start();
    await open({ paths: times(40, '/console/page') });
    await eventually(() => expect(gateway.upstream.seen).toHaveLength(40));
    expect((await gateway.send('/console/api/session')).status).toBe(200);
    expect((await gateway.send('/pluto/purchase/notifications')).status).toBe(200);
  });

  it('regression: a client that reads less than the least rate is cut off, also when it reads a little', async () => {
    await start(4_000);
    const before = await refusals(gateway, 'slow');
    await open({ paths: times(3, '/console/page'), bytesPerS: 500 });
    await eventually(async () => expect(await metric(gateway, 'answer_bytes_held')).toBeGreaterThan(0));
    await eventually(async () => expect((await refusals(gateway, 'slow')) - before).toBe(3));
    expect(await metric(gateway, 'answer_bytes_held')).toBe(0);
  });

  it('a client that reads slowly, but reads, gets its whole answer, however long that takes', async () => {
    await start(4_000);
    const readers = await open({ paths: ['/console/page'], bytesPerS: 60_000 });
    expect(await readers.bytesRead()).toBe(page.length);
  });

  it('larger answers than the gateway reads ahead keep a quarter of the connections: beyond it the slowest reader is cut off', async () => {
    await start();
    const before = await refusals(gateway, 'large-answers');
    await open({ paths: times(8, '/console/large') });
    await eventually(async () => expect((await refusals(gateway, 'large-answers')) - before).toBe(6));
    expect((await gateway.send('/console/api/session')).status).toBe(200);
    expect((await gateway.send('/console/large')).text).toBe(large);
  });
});

describe('live streams through the gateway (T-12)', () => {
  const later = undoneAfterEach();
  const streams: ServerResponse[] = [];
  let gateway: GatewayUnderTest;
  const start = async (limits: { idleTimeoutMs?: number; upstreamConnectionsMax?: number } = {}) => {
    gateway = await GatewayUnderTest.start({ TRUSTED_PROXIES: '127.0.0.1' }, limits);
    later(() => gateway.stop());
    gateway.assertsNames();
    gateway.upstream.answer = ({ url }, response) => {
      if (url !== '/console/changes') return json(response, { from: 'upstream' });
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write('retry: 3000\n\n');
      streams.push(response);
    };
  };
  afterEach(() => void streams.splice(0));

  /** Opens a stream; resolves with its status, what came so far, and how to leave it. */
  const watch = (headers: Record<string, string> = {}) =>
    new Promise<{ status: number; text: string; isEnded: boolean; leave: () => void }>((resolve, reject) => {
      const { port, certificate } = gateway;
      const options = { host: 'localhost', port, family: 4, ca: certificate.cert, agent: false as const };
      const request = httpsRequest({ ...options, path: '/console/changes', headers }, response => {
        const watched = { status: response.statusCode!, text: '', isEnded: false, leave: () => void request.destroy() };
        response.on('data', (chunk: Buffer) => (watched.text += chunk.toString())).on('error', () => undefined);
        response.once('close', () => (watched.isEnded = true));
        resolve(watched);
      });
      request.once('error', reject);
      later(() => void request.destroy());
      request.end();
    });
  const from = (address: string) => ({ 'x-forwarded-for': address });

  it('one address has 32 at most; others are served, and a stream that ends makes room', async () => {
    await start();
    const before = await refusals(gateway, 'live-streams');
    const open = await Promise.all(times(32, from('198.51.100.1')).map(watch));
    expect(open.map(({ status }) => status)).toEqual(times(32, 200));
    expect((await watch(from('198.51.100.1'))).status).toBe(429);
    expect((await watch(from('198.51.100.2'))).status).toBe(200);
    expect((await refusals(gateway, 'live-streams')) - before).toBe(1);
    open[0]!.leave();
    await eventually(async () => expect((await watch(from('198.51.100.1'))).status).toBe(200));
  });

  it('one account has 8 at most, from whichever addresses', async () => {
    await start();
    const by = (account: string, at: number) => watch({ authorization: account, ...from(`198.51.100.${at}`) });
    for (let at = 0; at < 8; at++) expect((await by('a', at)).status).toBe(200);
    expect((await by('a', 8)).status).toBe(429);
    expect((await by('b', 8)).status).toBe(200);
  });

  it('all together use half of the connections to their service', async () => {
    await start({ upstreamConnectionsMax: 8 });
    for (let at = 0; at < 4; at++) expect((await watch(from(`198.51.100.${at}`))).status).toBe(200);
    const refused = await watch(from('198.51.100.9'));
    expect(refused.status).toBe(429);
    expect((await gateway.send('/console/api/session')).status).toBe(200);
  });

  it('a stream that is silent now and then is no slow reader', async () => {
    await start({ idleTimeoutMs: 2_000 });
    const before = await refusals(gateway, 'slow');
    const watched = await watch();
    const beating = setInterval(() => streams[0]!.write(': heartbeat\n\n'), 500);
    later(() => clearInterval(beating));
    await eventually(() => expect(watched.text.split('heartbeat')).toHaveLength(9));
    expect([watched.isEnded, await refusals(gateway, 'slow')]).toEqual([false, before]);
  });
});
