import { setTimeout as pause } from 'node:timers/promises';
import type { Route } from '@paycode/dto';
import { answering, RawReceiver } from '@paycode/safe-http/testing';
import { TestNotificationConfig } from '../testing/running-service';

const leaseMs = 150;
const merchantId = 7;

interface Start {
  atMs: number;
  keyId: string | null;
  url: string | null;
}

/** Starts requests as a dispatcher does: on a route it asked for, for as long as the lease lasts; answers may be long under way. */
class Dispatcher {
  readonly starts: Start[] = [];
  private isStopped = false;

  constructor(
    private readonly service: TestNotificationConfig,
    private readonly answerDelayMs: () => number,
  ) {}

  async run(): Promise<void> {
    while (!this.isStopped) {
      const askedAtMs = performance.now();
      const answer = await this.service.internal('post', '/internal/routes', {
        body: { merchantIds: [merchantId] },
        caller: 'webhook-dispatcher',
      });
      const route = (answer.data as Route[])[0]!;
      await pause(this.answerDelayMs());
      while (performance.now() < askedAtMs + route.leaseMs) {
        this.starts.push({ atMs: performance.now(), keyId: route.keyId, url: route.url });
        await pause(1);
      }
    }
  }

  stop(): void {
    this.isStopped = true;
  }
}

describe('route lease', () => {
  let replicas: [TestNotificationConfig, TestNotificationConfig];
  let receiver: RawReceiver;
  let dispatchers: Dispatcher[];
  let runs: Promise<void>[];

  beforeAll(async () => {
    const settings = { ROUTE_LEASE_MS: String(leaseMs) };
    const first = await TestNotificationConfig.start(settings);
    replicas = [first, await TestNotificationConfig.start(settings, first)];
    receiver = await RawReceiver.start(answering(200));
    await first.saveMerchant(merchantId);
    dispatchers = Array.from({ length: 8 }, (_, i) => new Dispatcher(replicas[i % 2]!, () => (i * leaseMs) / 10));
    runs = dispatchers.map(dispatcher => dispatcher.run());
  });
  afterAll(async () => {
    for (const dispatcher of dispatchers) dispatcher.stop();
    await Promise.all(runs);
    await receiver.stop();
    await replicas[1].stop();
    await replicas[0].stop();
  });

  const startsAfter = (atMs: number) => dispatchers.flatMap(({ starts }) => starts.filter(start => start.atMs >= atMs));
  const keyIdNow = async () =>
    (await replicas[0].database.dataSource.query<{ key_id: string }[]>('select key_id from http_notification'))[0]!.key_id;
  const addHttp = (path: string) =>
    replicas[1].post('addHttp', { merchantId, url: `http://127.0.0.1:${receiver.port}${path}`, version: 'V3' });

  it('R-4.3-10: no request that starts after the answer of renewKey or addHttp uses what was replaced, on any replica', async () => {
    await addHttp('/first');
    const afterFirst = performance.now();
    for (let i = 0; i < 6; i += 1) {
      const replaced = await keyIdNow();
      await replicas[i % 2]!.post('renewKey', { merchantId });
      const answeredAt = performance.now();
      await pause(leaseMs);
      const starts = startsAfter(answeredAt);
      expect(starts.length).toBeGreaterThan(0);
      expect(starts.filter(({ keyId }) => keyId === replaced)).toEqual([]);
    }
    expect(startsAfter(afterFirst).filter(({ url }) => url === null)).toEqual([]);
    const moved = await addHttp('/second');
    const movedAt = performance.now();
    await pause(leaseMs);
    expect(startsAfter(movedAt).filter(({ url }) => url !== moved.data.url)).toEqual([]);
  });
});
