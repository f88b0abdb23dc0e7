/** 99 healthy merchants, alone, beside one more that answers and beside one that never does. */
import type { Payments } from './contender.ts';
import { latenciesOf, newPayments, untilEnded } from './delivery-rounds.ts';
import { freshPlatform, type IsolationGround, loadOf } from './isolation-ground.ts';
import type { Arrivals } from './receiver.main.ts';
import { progress } from './report.ts';
import { percentile } from './statistics.ts';

export interface HangingMerchantScale {
  healthyPerSecond: number;
  /** Of the one beside them. */
  besidePerSecond: number;
  seconds: number;
  ackWindowMs: number;
  /** Payments before anything counts: connections to all endpoints are open then, and the code of the hot path is compiled. */
  warmUp: number;
}

/**
 * The further merchant beside the healthy ones. One that answers shows the cost of the load itself; the difference is the
 * effect of hanging.
 */
export const company = ['nobody', 'one that answers', 'one that hangs'] as const;
export type Company = (typeof company)[number];
export type HealthyRuns = Record<Company, HealthyRun[]>;

export interface HealthyRun {
  p50Ms: number;
  p99Ms: number;
  /** POSTs to the hanging merchant under way at the end. */
  hanging: number;
  /** Lost, doubled or reversed payments of the healthy ones. */
  deviations: string[];
}

/** One run on a fresh platform. */
export async function runHealthy(ground: IsolationGround, scale: HangingMerchantScale, beside: Company): Promise<HealthyRun> {
  progress(`healthy merchants beside ${beside}`);
  const platform = await freshPlatform(ground, { ACK_WINDOW_MS: String(scale.ackWindowMs) });
  const healthy = await loadOf('healthy', platform, { ...ground, merchants: ground.healthy });
  const other = beside === 'one that hangs' ? ground.hanging[0]! : ground.further;
  const further = await loadOf(beside, platform, { ...ground, merchants: [other] });
  try {
    await warmUp();
    const payments = newPayments(scale.healthyPerSecond * scale.seconds);
    await healthy.prepare(payments);
    await further.prepare(newPayments(scale.besidePerSecond * scale.seconds));
    await ground.receiver.call('reset');
    const sent = beside === 'nobody' ? undefined : further.send(scale.besidePerSecond);
    const { startedMs } = await healthy.send(scale.healthyPerSecond);
    await untilEnded(healthy, ground.receiver, payments);
    await sent;
    const arrivals = await ground.receiver.call<Arrivals>('arrivals');
    const latencies = latenciesOf(arrivals, { payments, startedMs, perSecond: scale.healthyPerSecond });
    return {
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      hanging: await ground.receiver.call<number>('hanging'),
      // Receivers see the payments of both.
      deviations: await healthy.deviations(
        payments,
        arrivals.transactionIds.filter(id => isOf(payments, id)),
      ),
    };
  } finally {
    await further.stop();
    await healthy.stop();
  }

  async function warmUp(): Promise<void> {
    const payments = newPayments(scale.warmUp);
    await healthy.prepare(payments);
    await ground.receiver.call('reset');
    await healthy.send(Infinity);
    await untilEnded(healthy, ground.receiver, payments);
  }
}

function isOf({ firstId, count }: Payments, id: number): boolean {
  return id >= firstId && id < firstId + count;
}
