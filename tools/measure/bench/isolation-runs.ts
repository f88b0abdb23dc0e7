import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { serializeNotification } from '@paycode/dto';
import type { CalledProcess } from './child-processes.ts';
import { until, residentBytesOf } from './meters.ts';
import { type Contender, type Payments, platformContender } from './contender.ts';
import { type Burst, latenciesOf, measureBurst, newPayments, untilEnded } from './delivery-rounds.ts';
import { type BenchMerchant, sampleNotification } from './merchants.ts';
import { type PlatformFixture, PlatformUnderTest } from './platform-under-test.ts';
import type { Arrivals } from './receiver.main.ts';
import { percentile, progress } from './report.ts';

/** The fixture that the parts of bench:isolation share. */
export interface IsolationFixture extends PlatformFixture {
  receiver: CalledProcess;
  healthy: BenchMerchant[];
  /** One more that answers like these. */
  further: BenchMerchant;
  /** As many healthy merchants, whose URLs all have one origin, and a merchant there whose path never answers. */
  crowd: BenchMerchant[];
  silent: BenchMerchant;
  /** One merchant per endpoint that never answers. */
  hanging: BenchMerchant[];
}

let platforms = 0;

/** A platform on fresh databases: nothing of one measurement waits in the next. */
function freshPlatform(fixture: IsolationFixture, dispatcher: Record<string, string> = {}): Promise<PlatformUnderTest> {
  return PlatformUnderTest.start({ ...fixture, name: `isolation_${++platforms}`, dispatcher });
}

/** Payments of these merchants on that platform. */
function loadOf(
  name: string,
  platform: PlatformUnderTest,
  fixture: IsolationFixture & { merchants: BenchMerchant[] },
): Promise<Contender> {
  return platformContender(name, platform, fixture);
}

/** 99 healthy merchants, alone, beside one more that answers and beside one that never does; then the same 99 at one origin. */
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
export const company = [
  'nobody',
  'one that answers',
  'one that hangs',
  'nobody, all at one origin',
  'one that hangs, all at one origin',
] as const;
type Company = (typeof company)[number];
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
export async function runHealthy(fixture: IsolationFixture, scale: HangingMerchantScale, beside: Company): Promise<HealthyRun> {
  progress(`healthy merchants beside ${beside}`);
  const platform = await freshPlatform(fixture, { ACK_WINDOW_MS: String(scale.ackWindowMs) });
  const { merchants, other } = partiesOf(fixture, beside);
  const healthy = await loadOf('healthy', platform, { ...fixture, merchants });
  const further = await loadOf(beside, platform, { ...fixture, merchants: [other] });
  try {
    await warmUp();
    const payments = newPayments(scale.healthyPerSecond * scale.seconds);
    await healthy.prepare(payments);
    await further.prepare(newPayments(scale.besidePerSecond * scale.seconds));
    await fixture.receiver.call('reset');
    const sent = beside.startsWith('nobody') ? undefined : further.send(scale.besidePerSecond);
    const { startedMs } = await healthy.send(scale.healthyPerSecond);
    await untilEnded(healthy, fixture.receiver, payments);
    await sent;
    const arrivals = await fixture.receiver.call<Arrivals>('arrivals');
    const latencies = latenciesOf(arrivals, { payments, startedMs, perSecond: scale.healthyPerSecond });
    return {
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      hanging: await fixture.receiver.call<number>('hanging'),
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
    await fixture.receiver.call('reset');
    await healthy.send(Infinity);
    await untilEnded(healthy, fixture.receiver, payments);
  }
}

function partiesOf(fixture: IsolationFixture, beside: Company): { merchants: BenchMerchant[]; other: BenchMerchant } {
  if (beside.endsWith('all at one origin')) return { merchants: fixture.crowd, other: fixture.silent };
  return { merchants: fixture.healthy, other: beside === 'one that hangs' ? fixture.hanging[0]! : fixture.further };
}

function isOf({ firstId, count }: Payments, id: number): boolean {
  return id >= firstId && id < firstId + count;
}

/** Thousands of receivers that never answer, all at once: memory of each, and the healthy ones meanwhile. */
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

export async function runHangingReceivers(fixture: IsolationFixture, scale: HangingReceiversScale): Promise<HangingReceiversRun> {
  progress(`${scale.requests} requests that hang at once`);
  // Nothing times out while they are counted. More handshakes are permitted than in production, so that the run is short.
  const platform = await freshPlatform(fixture, { ACK_WINDOW_MS: '600000', HANDSHAKES_PER_SECOND: '1000' });
  const healthy = await loadOf('healthy', platform, { ...fixture, merchants: fixture.healthy });
  const hanging = await loadOf('hanging', platform, { ...fixture, merchants: fixture.hanging });
  try {
    await sendHealthy();
    const before = residentBytesOf(platform.dispatcher.pid);
    await hanging.prepare(newPayments(scale.requests));
    await hanging.send(Infinity);
    const isFull = async () => (await fixture.receiver.call<number>('hanging')) >= scale.requests;
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
    await fixture.receiver.call('reset');
    const { startedMs } = await healthy.send(perSecond);
    await untilEnded(healthy, fixture.receiver, payments);
    const arrivals = await fixture.receiver.call<Arrivals>('arrivals');
    const latencies = latenciesOf(arrivals, { payments, startedMs, perSecond });
    return { p99Ms: percentile(latencies, 0.99), deviations: await healthy.deviations(payments, arrivals.transactionIds) };
  }
}

/** Throughput beside many stored deliveries of a merchant that does not answer, against an empty table. */
export interface StoredScale {
  stored: number;
  rounds: number;
  burst: number;
}

export interface StoredRuns {
  stored: number;
  empty: Burst[];
  full: Burst[];
}

const pageRows = 50_000;

export async function runStored(fixture: IsolationFixture, { stored, rounds, burst }: StoredScale): Promise<StoredRuns> {
  progress(`throughput beside ${stored} stored deliveries`);
  const [emptyPlatform, fullPlatform] = [await freshPlatform(fixture), await freshPlatform(fixture)];
  const empty = await loadOf('empty table', emptyPlatform, { ...fixture, merchants: fixture.healthy });
  const full = await loadOf(`${stored} stored`, fullPlatform, { ...fixture, merchants: fixture.healthy });
  try {
    await store(fixture, fullPlatform, stored);
    const runs: StoredRuns = { stored, empty: [], full: [] };
    const measure = (contender: Contender) => measureBurst(contender, fixture, burst);
    for (let round = 0; round <= rounds; round++) {
      const [first, second] = [await measure(empty), await measure(full)];
      // The first round only warms up.
      if (round > 0) runs.empty.push(first);
      if (round > 0) runs.full.push(second);
    }
    return runs;
  } finally {
    await empty.stop();
    await full.stop();
  }
}

/** As ingest would have left them: waiting, unclaimed, in all shards. */
async function store(
  { database, secrets, hanging }: IsolationFixture,
  platform: PlatformUnderTest,
  count: number,
): Promise<void> {
  const merchantId = hanging[0]!.merchantId;
  const payload = new PayloadSealer(KeyRing.parse(secrets.payloadKeys)).seal(
    serializeNotification(sampleNotification(1, merchantId)),
  );
  const sql = `
    insert into delivery (transaction_id, shard, seq, epoch, merchant_id, kind, status, reversible, completed_at, payload)
    select i, i % 256, nextval('delivery_seq'), 0, $1, 'PURCHASE', 'SUCCESS', true, now(), $2 from generate_series($3::int, $4::int) i`;
  for (let first = 1; first <= count; first += pageRows)
    await database.query(platform.databases.dispatcher, sql, [merchantId, payload, first, Math.min(count, first + pageRows - 1)]);
  await database.query(platform.databases.dispatcher, 'analyze delivery');
}
