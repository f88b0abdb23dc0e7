/** Thousands of receivers that never answer, all at once: memory of each, and the healthy ones meanwhile. */
import { until } from './clock.ts';
import { latenciesOf, newPayments, untilEnded } from './delivery-rounds.ts';
import { freshPlatform, type IsolationGround, loadOf } from './isolation-ground.ts';
import { residentBytesOf } from './process-usage.ts';
import { progress } from './report.ts';
import type { Arrivals } from './receiver.main.ts';
import { percentile } from './statistics.ts';

export interface HangingReceiversScale {
  requests: number;
  healthyPerSecond: number;
}

export interface HangingReceiversRun {
  requests: number;
  /** Resident memory of the dispatcher for each request under way. */
  kibEach: number;
  /** Of the healthy merchants while all of them hang. */
  healthyP99Ms: number;
  deviations: string[];
}

const healthySeconds = 5;
const fillTimeoutMs = 240_000;

export async function runHangingReceivers(ground: IsolationGround, scale: HangingReceiversScale): Promise<HangingReceiversRun> {
  progress(`${scale.requests} requests that hang at once`);
  // Nothing times out while they are counted. More handshakes are permitted than in production, so that the run is short.
  const platform = await freshPlatform(ground, { ACK_WINDOW_MS: '600000', HANDSHAKES_PER_SECOND: '1000' });
  const healthy = await loadOf('healthy', platform, { ...ground, merchants: ground.healthy });
  const hanging = await loadOf('hanging', platform, { ...ground, merchants: ground.hanging });
  try {
    await sendHealthy();
    const before = residentBytesOf(platform.dispatcher.pid);
    await hanging.prepare(newPayments(scale.requests));
    await hanging.send(Infinity);
    const isFull = async () => (await ground.receiver.call<number>('hanging')) >= scale.requests;
    await until('hanging requests', isFull, { withinMs: fillTimeoutMs, everyMs: 100 });
    const kibEach = (residentBytesOf(platform.dispatcher.pid) - before) / 1_024 / scale.requests;
    const { p99Ms, deviations } = await sendHealthy();
    return { requests: scale.requests, kibEach, healthyP99Ms: p99Ms, deviations };
  } finally {
    await hanging.stop();
    await healthy.stop();
  }

  async function sendHealthy(): Promise<{ p99Ms: number; deviations: string[] }> {
    const perSecond = scale.healthyPerSecond;
    const payments = newPayments(perSecond * healthySeconds);
    await healthy.prepare(payments);
    await ground.receiver.call('reset');
    const { startedMs } = await healthy.send(perSecond);
    await untilEnded(healthy, ground.receiver, payments);
    const arrivals = await ground.receiver.call<Arrivals>('arrivals');
    const latencies = latenciesOf(arrivals, { payments, startedMs, perSecond });
    return { p99Ms: percentile(latencies, 0.99), deviations: await healthy.deviations(payments, arrivals.transactionIds) };
  }
}
