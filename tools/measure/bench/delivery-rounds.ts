/** The contenders of bench:deliver behind one interface. */
import type { BenchDatabase } from './bench-database.ts';
import { bundle, CalledProcess } from './child-processes.ts';
import { countDeviations, deviationsOf, type Expected } from './exact-audit.ts';
import type { BenchMerchant, BenchSecrets, CertificateFiles } from './merchants.ts';
import { cpuUsOf, cpuUsOfTree, monotonicMs, until } from './meters.ts';
import type { PeerName, PeerOptions } from './peer.main.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';
import type { Sent } from './publisher.main.ts';
import type { Arrivals } from './receiver.main.ts';
import { percentile, progress } from './report.ts';
import type { SinkOptions } from './sinks.ts';

/** A range of transaction ids. */
export interface Payments {
  firstId: number;
  count: number;
}

export interface Contender {
  name: string;
  /** The goals compare with peers that do the same durable work. */
  kind: 'platform' | 'same durable work' | 'posts only';
  /** The process whose CPU time is charged to the webhooks. */
  pid: number;
  /** All processes of the contender, and the load generator, by name. */
  processes: Record<string, number>;
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
  secrets: BenchSecrets;
  certificate: CertificateFiles;
  merchants: BenchMerchant[];
}

/** Transaction ids of the payments. */
export function idsOf({ firstId, count }: Payments): Set<number> {
  return new Set(Array.from({ length: count }, (_, at) => firstId + at));
}

/** The load generator of one contender. */
class Publisher {
  private readonly child: CalledProcess;

  constructor(private readonly merchants: readonly BenchMerchant[]) {
    this.child = new CalledProcess(bundle('publisher'));
  }

  get pid(): number {
    return this.child.pid;
  }

  open(options: Omit<SinkOptions, 'urls'>): Promise<void> {
    const urls = Object.fromEntries(this.merchants.map(({ merchantId, url }) => [merchantId, url]));
    return this.child.call('open', { ...options, urls } satisfies SinkOptions);
  }

  /** Merchants take turns. */
  prepare({ firstId, count }: Payments): Promise<void> {
    const merchantIds = Array.from({ length: count }, (_, at) => this.merchants[at % this.merchants.length]!.merchantId);
    return this.child.call('prepare', { firstId, merchantIds });
  }

  send(perSecond: number): Promise<Sent> {
    return this.child.call('send', { perSecond });
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}

/** The platform with its release bundles. */
export async function platformContender(
  name: string,
  platform: PlatformUnderTest,
  { merchants, secrets, brokers }: Circumstances & { brokers?: string },
): Promise<Contender> {
  const publisher = new Publisher(merchants);
  await publisher.open({ kind: 'events', databaseUrl: platform.eventsUrl, payloadKeys: secrets.payloadKeys, brokers });
  return {
    name,
    kind: 'platform',
    pid: platform.dispatcher.pid,
    processes: { dispatcher: platform.dispatcher.pid, scheduler: platform.scheduler.pid, generator: publisher.pid },
    prepare: payments => publisher.prepare(payments),
    send: perSecond => publisher.send(perSecond),
    isDone: async ({ firstId, count }) => (await platform.countOf('decision', firstId, firstId + count - 1)) >= count,
    deviations: async (payments, received) => {
      const last = payments.firstId + payments.count - 1;
      const [verdicts, decisions] = [
        await platform.verdicts(payments.firstId, last),
        await platform.decisions(payments.firstId, last),
      ];
      return deviationsOf({ sent: idsOf(payments), received, verdicts, decisions }, settled);
    },
    stop: async () => {
      await publisher.stop();
      await platform.kill();
    },
  };
}

const settled: Expected = { verdict: 'ACKED_HTTP', decision: 'SETTLED' };

const unfinished: Record<PeerName, string> = {
  'graphile-worker': 'select exists (select from graphile_worker._private_jobs) as found',
  'pg-boss': "select exists (select from pgboss.job where state < 'completed') as found",
};

/**
 * A job queue on PostgreSQL; its worker is a process of its own. `isDurable`: its job does what the platform does for a payment, a reversal
 * that is durable before the POST, a verdict and a decision after it; otherwise it only posts.
 */
export async function peerContender(queue: PeerName, isDurable: boolean, around: Circumstances): Promise<Contender> {
  const database = queue.replace('-', '_') + (isDurable ? '_durable' : '');
  const databaseUrl = await around.database.create(database);
  const worker = new CalledProcess(bundle('peer'), { env: { NODE_EXTRA_CA_CERTS: around.certificate.certFile } });
  const publisher = new Publisher(around.merchants);
  await publisher.open({ kind: queue, databaseUrl, payloadKeys: around.secrets.payloadKeys });
  await worker.call('start', { queue, databaseUrl, isDurable } satisfies PeerOptions);
  const kind = isDurable ? 'same durable work' : 'posts only';
  const ends = (table: 'verdict' | 'decision', { firstId, count }: Payments) =>
    around.database.endsIn(database, table, [firstId, firstId + count - 1]);
  return {
    name: `${queue}, ${kind}`,
    kind,
    pid: worker.pid,
    processes: { worker: worker.pid, generator: publisher.pid },
    prepare: payments => publisher.prepare(payments),
    send: perSecond => publisher.send(perSecond),
    isDone: async () => !(await around.database.query<{ found: boolean }>(database, unfinished[queue]))[0]!.found,
    deviations: async (payments, received) => {
      if (!isDurable) return countDeviations('POST', idsOf(payments), received);
      const [verdicts, decisions] = [await ends('verdict', payments), await ends('decision', payments)];
      return deviationsOf({ sent: idsOf(payments), received, verdicts, decisions }, settled);
    },
    stop: async () => {
      await publisher.stop();
      await worker.stop();
    },
  };
}

/** One measurement of one contender: a burst (how fast) or a steady rate (how late). */
/** The fixture that all contenders share. */
export interface Fixture {
  receiver: CalledProcess;
  database: BenchDatabase;
}

export interface Burst {
  perSecond: number;
  /** CPU of the contender's process per webhook. */
  cpuUs: number;
  /** The same of everything that took part, by process; `own` is the contender's again. */
  cpuUsBy: Record<string, number>;
  /** Share of POSTs that found an open connection. */
  reuse: number;
  deviations: string[];
}

export interface Steady {
  perSecond: number;
  /** From the intended send time of the event to the arrival of the POST. */
  p50Ms: number;
  p99Ms: number;
  /** Share of POSTs that found an open connection. */
  reuse: number;
  deviations: string[];
}

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
export async function measureBurst(contender: Contender, { receiver, database }: Fixture, count: number): Promise<Burst> {
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
    cpuUs: cpuUsBy['own']!,
    cpuUsBy,
    reuse: 1 - arrivals.connections / count,
    deviations: await contender.deviations(payments, arrivals.transactionIds),
  };
}

/** A rate it can keep up with, for some seconds; the first quarter is not counted. */
export async function measureSteady(
  contender: Contender,
  receiver: CalledProcess,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Steady> {
  progress(`${contender.name}: ${perSecond}/s for ${seconds} s`);
  const payments = newPayments(Math.round(perSecond * seconds));
  await ready(contender, receiver, payments);
  const { startedMs } = await contender.send(perSecond);
  await untilEnded(contender, receiver, payments);
  const arrivals = await receiver.call<Arrivals>('arrivals');
  const latencies = latenciesOf(arrivals, { payments, startedMs, perSecond });
  return {
    perSecond,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    reuse: 1 - arrivals.connections / payments.count,
    deviations: await contender.deviations(payments, arrivals.transactionIds),
  };
}

interface Schedule {
  payments: Payments;
  startedMs: number;
  perSecond: number;
}

/** Milliseconds since each payment was due, without those of the warm-up. */
export function latenciesOf({ transactionIds, atMs }: Arrivals, { payments, startedMs, perSecond }: Schedule): number[] {
  const counted = idsOf(payments);
  const firstCounted = payments.firstId + payments.count * warmUpShare;
  const latencies: number[] = [];
  transactionIds.forEach((id, at) => {
    const intendedMs = startedMs + ((id - payments.firstId) * 1_000) / perSecond;
    if (id >= firstCounted && counted.has(id)) latencies.push(atMs[at]! - intendedMs);
  });
  return latencies;
}

async function ready(contender: Contender, receiver: CalledProcess, payments: Payments): Promise<void> {
  await contender.prepare(payments);
  await receiver.call('reset');
}

function cpuOf({ pid, processes }: Contender, receiver: CalledProcess, database: BenchDatabase): Record<string, number> {
  const own = Object.entries({ own: pid, ...processes, receiver: receiver.pid }).map(
    ([name, of]) => [name, cpuUsOf(of)] as const,
  );
  return Object.fromEntries([...own, ['PostgreSQL', cpuUsOfTree(database.pid)]]);
}

/** Waits until every payment has arrived and ended. */
export async function untilEnded(contender: Contender, receiver: CalledProcess, payments: Payments): Promise<void> {
  const wait = { withinMs: endTimeoutMs };
  await until(`${contender.name}: POSTs`, async () => (await receiver.call<number>('count')) >= payments.count, wait);
  await until(`${contender.name}: durable ends`, () => contender.isDone(payments), wait);
}
