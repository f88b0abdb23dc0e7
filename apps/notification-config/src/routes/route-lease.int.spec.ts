import { answering, RawReceiver } from '@paycode/safe-http/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { TestNotificationConfig } from '../testing/running-service';
import { RouteLease } from './route-lease';

const merchantId = 7;

// Before the replicas run: their timers are real.
describe('the wait for a route lease', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each([10, 1_000, 10_000])(
    'the wait is at least a lease of %i ms by the clock of a slower dispatcher (R-4.3-10)',
    async leaseMs => {
      let isOver = false;
      const wait = new RouteLease(leaseMs).runsOut().then(() => (isOver = true));
      // Timers may fire a millisecond early, and two clocks may differ by a percent in rate.
      await jest.advanceTimersByTimeAsync(leaseMs * 1.01 + 1);
      expect(isOver).toBe(false);
      await jest.advanceTimersByTimeAsync(leaseMs * 0.01 + 3);
      await wait;
      expect(isOver).toBe(true);
    },
  );
});

describe('route lease', () => {
  let replicas: [TestNotificationConfig, TestNotificationConfig];
  let receiver: RawReceiver;

  beforeAll(async () => {
    const first = await TestNotificationConfig.start();
    replicas = [first, await TestNotificationConfig.start({}, first)];
    receiver = await RawReceiver.start(answering(200));
    await first.saveMerchant(merchantId);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await receiver.stop();
    await replicas[1].stop();
    await replicas[0].stop();
  });

  const addHttp = (path: string) =>
    replicas[1].post('addHttp', { merchantId, url: `http://127.0.0.1:${receiver.port}${path}`, version: 'V3' });

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
