import { notificationOf } from '@paycode/dto/testing';
import { PostWindow } from './deliveries/domain/post-window';
import { dispatcherOf, DispatcherRig } from './testing/running-dispatcher';
import { WireReceiver } from './testing/wire-receiver';

/** The assembled service without any protocol setting, as a deployment runs it that keeps the defaults. */
describe('the webhook dispatcher as shipped', () => {
  let rig: DispatcherRig;
  let receiver: WireReceiver;

  beforeEach(async () => {
    [rig, receiver] = await Promise.all([DispatcherRig.open(), WireReceiver.start()]);
    rig.route(1001, receiver.url);
    await rig.startAsShipped();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rig.close();
    await receiver.stop();
  });

  it('gives a receiver exactly 45 s from the last request byte, and 10 s before it to connect and write (R-8-1, A-05)', async () => {
    const windows: { connectMs: number; ackMs: number }[] = [];
    const sent = jest.spyOn(PostWindow.prototype, 'sent').mockImplementation(function (this: PostWindow, nowMs) {
      const connectMs = this.dueMs - (this as unknown as { startedMs: number }).startedMs;
      sent.mockRestore();
      this.sent(nowMs);
      windows.push({ connectMs, ackMs: this.dueMs - nowMs });
    });
    await rig.publish(rig.terminal(notificationOf(1)));
    await rig.verdict(1);
    expect(receiver.requests).toHaveLength(1);
    // Instants have fractions of a millisecond, and a difference of two of them may miss the last binary digit.
    expect(windows).toEqual([{ connectMs: expect.closeTo(10_000, 6), ackMs: expect.closeTo(45_000, 6) }]);
  });

  it('closes a payment that it could not send for 15 min, and posts a payment twice at most (A-12, A-13)', () => {
    expect(dispatcherOf(rig.services[0]!).overdue.rules).toEqual({ attemptsMax: 2, dispatchWindowMs: 900_000 });
  });

  it('a replica is dead when its heartbeat stood still for 10 s, and sends one every second (P-T6)', () => {
    const { heartbeatMs, leaseMs } = dispatcherOf(rig.services[0]!).shards;
    expect({ heartbeatMs, leaseMs }).toEqual({ heartbeatMs: 1_000, leaseMs: 10_000 });
  });
});
