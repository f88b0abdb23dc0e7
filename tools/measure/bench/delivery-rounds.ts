/** A load on the platform, and its two measurements: a burst (how fast) and a steady rate (how late). */
import type { BenchDatabase } from './bench-database.ts';
import { bundle, CalledProcess, cpuUsOf, cpuUsOfTree, monotonicMs, until } from './child-processes.ts';
import { deviationsOf, percentile, progress } from './report.ts';
import type { ServiceSecrets } from '../../prove/faults/environment/stand-ins.ts';
import type { BenchMerchant, CertificateFiles } from './merchants.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';
import type { EventLogOptions, PrepareOptions, SendOptions, Sent } from './publisher.main.ts';
import type { Arrivals } from './receiver.main.ts';

/** A range of transaction ids. */
export interface Payments {
  firstId: number;
  count: number;
}

export interface Contender {
  name: string;
  /** All processes of the contender, and the load generator, by name. */
  processes: Record<'dispatcher' | 'scheduler' | 'generator', number>;
  prepare(payments: Payments): Promise<void>;
  /** Sends the prepared payments; resolves when they are durable. */
  send(perSecond: number): Promise<Sent>;
  /** Whether every payment has durably ended. */
  isDone(payments: Payments): Promise<boolean>;
  /** Deviations from the expected rows and POSTs. */
  deviations(payments: Payments, received: Iterable<number>): Promise<string[]>;
  stop(): Promise<void>;
}

export interface Circumstances {
  database: BenchDatabase;
  secrets: ServiceSecrets;
  certificate: CertificateFiles;
  merchants: BenchMerchant[];
}

/** Transaction ids of the payments. */
export function idsOf({ firstId, count }: Payments): Set<number> {
  return new Set(Array.from({ length: count }, (_, at) => firstId + at));
}

/** The platform with its release bundles, and a load generator of its own. */
export async function platformContender(
  name: string,
  platform: PlatformUnderTest,
  { merchants, secrets, brokers }: Circumstances & { brokers?: string },
): Promise<Contender> {
  const publisher = new CalledProcess(bundle('publisher'));
  const log: EventLogOptions = { databaseUrl: platform.eventsUrl, payloadKeys: secrets.payloadKeys, brokers };
  await publisher.call('open', log);
  return {
    name,
    processes: { dispatcher: platform.dispatcher.pid!, scheduler: platform.scheduler.pid!, generator: publisher.pid },
    // Merchants take turns.
    prepare: ({ firstId, count }) => {
      const merchantIds = Array.from({ length: count }, (_, at) => merchants[at % merchants.length]!.merchantId);
      return publisher.call('prepare', { firstId, merchantIds } satisfies PrepareOptions);
    },
    send: perSecond => publisher.call('send', { perSecond } satisfies SendOptions),
    isDone: async ({ firstId, count }) => (await platform.countOf('decision', firstId, firstId + count - 1)) >= count,
    deviations: async (payments, received) => {
      const range = [payments.firstId, payments.firstId + payments.count - 1] as const;
      const ends = { verdicts: await platform.verdicts(...range), decisions: await platform.decisions(...range) };
      return deviationsOf({ sent: idsOf(payments), received, ...ends });
    },
    stop: async () => {
      publisher.stop();
      await platform.kill();
    },
  };
}

/** The fixture that all contenders share. */
export interface Fixture {
  receiver: CalledProcess;
  database: BenchDatabase;
}

export type Burst = Awaited<ReturnType<typeof measureBurst>>;

export type Steady = Awaited<ReturnType<typeof measureSteady>>;

const endTimeoutMs = 120_000;
/** Part of a steady run that only warms up. */
const warmUpShare = 0.25;
let nextId = Date.now() * 1_000;

/** New payment ids, which no earlier run used either, because Kafka keeps its events. */
export function newPayments(count: number): Payments {
  const firstId = nextId;
  nextId += count;
  return { firstId, count };
}

/** Everything at once: payments per second from the first event to the last durable end. */
export async function measureBurst(contender: Contender, { receiver, database }: Fixture, count: number) {
  progress(`${contender.name}: ${count} at once`);
  const payments = newPayments(count);
  await ready(contender, receiver, payments);
  const usedBefore = cpuOf(contender, receiver, database);
  const { startedMs } = await contender.send(Infinity);
  await untilEnded(contender, receiver, payments);
  const elapsedMs = monotonicMs() - startedMs;
  const used = cpuOf(contender, receiver, database);
  const cpuUsBy = Object.fromEntries(Object.entries(used).map(([name, us]) => [name, (us - usedBefore[name]!) / count]));
  const arrivals = await receiver.call<Arrivals>('arrivals');
  return {
    perSecond: (count * 1_000) / elapsedMs,
    /** CPU of the dispatcher per webhook; `cpuUsBy`: of everything that took part, by process. */
    cpuUs: cpuUsBy['dispatcher']!,
    cpuUsBy,
    /** Share of POSTs that found an open connection. */
    reuse: 1 - arrivals.connections / count,
    deviations: await contender.deviations(payments, arrivals.transactionIds),
  };
}

/** A rate it can keep up with, for some seconds; the first quarter is not counted. */
export async function measureSteady(
  contender: Contender,
  receiver: CalledProcess,
  { perSecond, seconds, beside }: { perSecond: number; seconds: number; beside?: () => Promise<unknown> },
) {
  progress(`${contender.name}: ${perSecond}/s for ${seconds} s`);
  const payments = newPayments(Math.round(perSecond * seconds));
  await ready(contender, receiver, payments);
  const [{ startedMs }] = await Promise.all([contender.send(perSecond), beside?.()]);
  await untilEnded(contender, receiver, payments);
  const arrivals = await receiver.call<Arrivals>('arrivals');
  const latencies = latenciesOf(arrivals, { payments, startedMs, perSecond });
  return {
    perSecond,
    /** From the intended send time of the event to the arrival of the POST. */
    p50Ms: percentile([...latencies.values()], 0.5),
    p99Ms: percentile([...latencies.values()], 0.99),
    latencies,
    reuse: 1 - arrivals.connections / payments.count,
    deviations: await contender.deviations(payments, arrivals.transactionIds),
  };
}

interface Schedule {
  payments: Payments;
  startedMs: number;
  perSecond: number;
}

/** Milliseconds from the time that a payment was due to its first POST, without those of the warm-up. */
export function latenciesOf(
  { transactionIds, atMs }: Arrivals,
  { payments, startedMs, perSecond }: Schedule,
): Map<number, number> {
  const counted = idsOf(payments);
  const firstCounted = payments.firstId + payments.count * warmUpShare;
  const latencies = new Map<number, number>();
  transactionIds.forEach((id, at) => {
    const intendedMs = startedMs + ((id - payments.firstId) * 1_000) / perSecond;
    if (id >= firstCounted && counted.has(id) && !latencies.has(id)) latencies.set(id, atMs[at]! - intendedMs);
  });
  return latencies;
}

async function ready(contender: Contender, receiver: CalledProcess, payments: Payments): Promise<void> {
  await contender.prepare(payments);
  await receiver.call('reset');
}

function cpuOf({ processes }: Contender, receiver: CalledProcess, database: BenchDatabase): Record<string, number> {
  const own = Object.entries({ ...processes, receiver: receiver.pid }).map(([name, of]) => [name, cpuUsOf(of)]);
  return Object.fromEntries([...own, ['PostgreSQL', cpuUsOfTree(database.pid)]]) as Record<string, number>;
}

/** Waits until every payment has arrived and ended. */
export async function untilEnded(contender: Contender, receiver: CalledProcess, payments: Payments): Promise<void> {
  const wait = { withinMs: endTimeoutMs };
  await until(`${contender.name}: POSTs`, async () => (await receiver.call<number>('count')) >= payments.count, wait);
  await until(`${contender.name}: durable ends`, () => contender.isDone(payments), wait);
}
