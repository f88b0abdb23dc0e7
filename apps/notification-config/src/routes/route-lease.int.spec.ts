import { setTimeout as pause } from 'node:timers/promises';
import type { Route } from '@paycode/dto';
import { answering, RawReceiver } from '@paycode/safe-http/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { TestNotificationConfig } from '../testing/running-service';
import { RouteLease } from './route-lease';

/** Long enough that an answer of a busy machine comes while its lease still runs. */
const leaseMs = 400;
const merchantId = 7;

interface Start {
  keyId: string | null;
  url: string | null;
}

/** Starts requests as a dispatcher does: on a route it asked for, for as long as the lease lasts; answers may be long under way. */
class Dispatcher {
  /** In the order in which they started. */
  readonly starts: Start[] = [];
  /** Leases that it has used up. */
  leases = 0;
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
        this.starts.push({ keyId: route.keyId, url: route.url });
        await pause(1);
      }
      this.leases += 1;
    }
  }

  stop(): void {
    this.isStopped = true;
  }
}

describe('route lease', () => {
  let replicas: [TestNotificationConfig, TestNotificationConfig];
  let receiver: RawReceiver;

  beforeAll(async () => {
    const limits = { routeLeaseMs: leaseMs };
    const first = await TestNotificationConfig.startWith(limits);
    replicas = [first, await TestNotificationConfig.startWith(limits, {}, first)];
    receiver = await RawReceiver.start(answering(200));
    await first.saveMerchant(merchantId);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await receiver.stop();
    await replicas[1].stop();
    await replicas[0].stop();
  });

  const keyIdNow = async () =>
    (await replicas[0].database.dataSource.query<{ key_id: string }[]>('select key_id from http_notification'))[0]?.key_id;
  const addHttp = (path: string) =>
    replicas[1].post('addHttp', { merchantId, url: `http://127.0.0.1:${receiver.port}${path}`, version: 'V3' });

  /** Dispatchers and replicas share this process, so what a dispatcher starts after the call returned comes later in `starts`. */
  async function startsAfter(dispatchers: Dispatcher[], call: () => Promise<unknown>): Promise<Start[]> {
    await call();
    const before = dispatchers.map(({ starts, leases }) => ({ starts: starts.length, leases }));
    const later = () => dispatchers.flatMap(({ starts }, at) => starts.slice(before[at]!.starts));
    await eventually(() => {
      // Each has used up the lease it held when the call returned, and some have started requests since.
      expect(dispatchers.filter(({ leases }, at) => leases === before[at]!.leases)).toEqual([]);
      expect(later().length).toBeGreaterThan(0);
    });
    return later();
  }

  it('no request that starts after the answer of renewKey or addHttp uses the replaced key or URL, on any replica (R-4.3-10)', async () => {
    await addHttp('/first');
    const dispatchers = Array.from({ length: 8 }, (_, i) => new Dispatcher(replicas[i % 2]!, () => (i * leaseMs) / 10));
    const runs = dispatchers.map(dispatcher => dispatcher.run());
    try {
      await eventually(() => expect(dispatchers.filter(({ leases }) => leases === 0)).toEqual([]));
      for (let i = 0; i < 6; i += 1) {
        const replaced = await keyIdNow();
        const starts = await startsAfter(dispatchers, () => replicas[i % 2]!.post('renewKey', { merchantId }));
        expect(starts.filter(({ keyId }) => keyId === replaced)).toEqual([]);
      }
      let moved = '';
      const starts = await startsAfter(dispatchers, async () => (moved = (await addHttp('/second')).data.url as string));
      expect(starts.filter(({ url }) => url !== moved)).toEqual([]);
    } finally {
      for (const dispatcher of dispatchers) dispatcher.stop();
      await Promise.all(runs);
    }
  });

  it.each([
    ['renewKey', () => replicas[0].post('renewKey', { merchantId })],
    ['addHttp', () => addHttp('/after')],
  ])('%s commits the change, waits for the lease and only then answers (R-4.3-10)', async (_, call) => {
    await addHttp('/before');
    const changes = async () =>
      (await replicas[0].database.dataSource.query<{ changed_at: Date }[]>('select changed_at from http_notification'))[0];
    const before = await changes();
    const steps: string[] = [];
    let endLease = (): void => undefined;
    const held = new Promise<void>(resolve => (endLease = resolve));
    let atLease: unknown;
    jest.spyOn(RouteLease.prototype, 'runsOut').mockImplementation(async () => {
      atLease = await changes();
      steps.push('lease began');
      await held;
    });
    const answer = call().then(() => steps.push('answered'));
    await eventually(() => expect(steps).toContain('lease began'));
    // An answer that does not wait for the lease would arrive before these.
    for (let i = 0; i < 5; i += 1) await replicas[0].post('list', { merchantId });
    steps.push('lease ended');
    endLease();
    await answer;
    expect(steps).toEqual(['lease began', 'lease ended', 'answered']);
    expect(atLease).not.toEqual(before);
  });
});
