/** 99 healthy merchants, alone and beside one that never answers. */
import { latenciesOf, newPayments, untilEnded } from './delivery-rounds.ts';
import { freshPlatform, type IsolationGround, loadOf } from './isolation-ground.ts';
import type { Arrivals } from './receiver.main.ts';
import { progress } from './report.ts';
import { percentile } from './statistics.ts';

export interface HangingMerchantScale {
  healthyPerSecond: number;
  hangingPerSecond: number;
  seconds: number;
  ackWindowMs: number;
}

export interface HealthyRun {
  p50Ms: number;
  p99Ms: number;
  /** POSTs to the hanging merchant under way at the end. */
  hanging: number;
  /** Lost, doubled or reversed payments of the healthy ones. */
  deviations: string[];
}

/** One run on a fresh platform. `isBeside`: with the hanging merchant. */
export async function runHealthy(ground: IsolationGround, scale: HangingMerchantScale, isBeside: boolean): Promise<HealthyRun> {
  progress(`healthy merchants ${isBeside ? 'beside one that hangs' : 'alone'}`);
  const platform = await freshPlatform(ground, { ACK_WINDOW_MS: String(scale.ackWindowMs) });
  const healthy = await loadOf('healthy', platform, { ...ground, merchants: ground.healthy });
  const hanging = await loadOf('hanging', platform, { ...ground, merchants: ground.hanging.slice(0, 1) });
  try {
    // Connections to all endpoints are open before anything counts.
    await warmUp();
    const payments = newPayments(scale.healthyPerSecond * scale.seconds);
    await healthy.prepare(payments);
    await hanging.prepare(newPayments(scale.hangingPerSecond * scale.seconds));
    await ground.receiver.call('reset');
    const beside = isBeside ? hanging.send(scale.hangingPerSecond) : undefined;
    const { startedMs } = await healthy.send(scale.healthyPerSecond);
    await untilEnded(healthy, ground.receiver, payments);
    await beside;
    const arrivals = await ground.receiver.call<Arrivals>('arrivals');
    const latencies = latenciesOf(arrivals, { payments, startedMs, perSecond: scale.healthyPerSecond });
    return {
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      hanging: await ground.receiver.call<number>('hanging'),
      deviations: await healthy.deviations(payments, arrivals.transactionIds),
    };
  } finally {
    await hanging.stop();
    await healthy.stop();
  }

  async function warmUp(): Promise<void> {
    const payments = newPayments(ground.healthy.length * 10);
    await healthy.prepare(payments);
    await ground.receiver.call('reset');
    await healthy.send(Infinity);
    await untilEnded(healthy, ground.receiver, payments);
  }
}
