/** The measurements of bench:deliver in their order, with their output. */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { BenchDatabase } from './bench-database.ts';
import { CalledProcess, runToEnd } from './child-processes.ts';
import { bundle, type Circumstances, type Contender, peerContender, platformContender } from './contender.ts';
import { type DeliverScale, type DeliveryFigures, type FloorRound, type PerPayment, reportDelivery } from './deliver-report.ts';
import { type Burst, type Fixture, measureBurst, measureSteady, newPayments } from './delivery-rounds.ts';
import type { FloorResult } from './floor.main.ts';
import { makeMerchants, makeSecrets, writeBenchCertificate } from './merchants.ts';
import { Neighbours } from './neighbours.ts';
import { PlatformUnderTest } from './platform-under-test.ts';
import { cpuUsOf } from './process-usage.ts';
import type { ReceiverPorts } from './receiver.main.ts';

interface Participants {
  platform: PlatformUnderTest;
  paycode: Contender;
  contenders: Contender[];
}

/** An idle session of PostgreSQL may report its counters up to ten seconds late. */
const countersSettleMs = 11_000;
const floorConcurrency = 64;
const nothing: PerPayment = { statements: NaN, rowsInserted: NaN, logStatements: NaN, logRowsInserted: NaN };

class DeliverBench {
  private readonly floor: CalledProcess;

  constructor(
    private readonly receiver: CalledProcess,
    private readonly options: Circumstances & { scale: DeliverScale },
  ) {
    this.floor = new CalledProcess(bundle('floor'), { env: { NODE_EXTRA_CA_CERTS: options.certificate.certFile } });
  }

  /** False when an audit found something. */
  async run(participants: Participants): Promise<boolean> {
    const { contenders, paycode, platform } = participants;
    const { rounds, warmUp, burst, steadySeconds } = this.options.scale;
    const figures: DeliveryFigures = {
      bursts: new Map(),
      floor: [],
      steadies: new Map(),
      perPayment: { burst: nothing, steady: nothing },
      stored: { dispatcher: NaN, scheduler: NaN },
    };
    try {
      for (const contender of contenders) await measureBurst(contender, this.fixture, warmUp);
      await this.measureFloor(warmUp);
      for (let round = 0; round < rounds; round++) {
        figures.floor.push(await this.measureFloor(burst));
        for (const contender of contenders)
          this.note(figures.bursts, contender, await measureBurst(contender, this.fixture, burst));
      }
      // A separate burst, so that waiting for the counters disturbs no other figure.
      figures.perPayment.burst = await this.countWork(platform, burst, () => measureBurst(paycode, this.fixture, burst));
      for (const contender of contenders) {
        const knee = Math.max(...figures.bursts.get(contender.name)!.map(({ perSecond }) => perSecond));
        const load = { perSecond: Math.round(knee / 2), seconds: steadySeconds };
        const measure = async () =>
          void figures.steadies.set(contender.name, await measureSteady(contender, this.receiver, load));
        if (contender !== paycode) await measure();
        else figures.perPayment.steady = await this.countWork(platform, load.perSecond * load.seconds, measure);
      }
      figures.stored = await platform.stored();
    } finally {
      await this.floor.stop();
    }
    return reportDelivery(figures, {
      paycode: paycode.name,
      rivals: namesOf(contenders.filter(({ kind }) => kind === 'same durable work')),
      queues: namesOf(contenders.filter(({ kind }) => kind === 'posts only')),
      postgres: await this.options.database.version(),
      scale: this.options.scale,
    });
  }

  private get fixture(): Fixture {
    return { receiver: this.receiver, database: this.options.database };
  }

  private note(bursts: Map<string, Burst[]>, { name }: Contender, burst: Burst): void {
    bursts.set(name, [...(bursts.get(name) ?? []), burst]);
  }

  private async measureFloor(count: number): Promise<FloorRound> {
    const { firstId } = newPayments(count);
    const urls = this.options.merchants.map(({ url }) => url);
    const cpuBefore = cpuUsOf(this.floor.pid);
    const { elapsedMs } = await this.floor.call<FloorResult>('run', { firstId, count, urls, concurrency: floorConcurrency });
    return { perSecond: (count * 1_000) / elapsedMs, cpuUs: (cpuUsOf(this.floor.pid) - cpuBefore) / count };
  }

  /** Statements and rows of `count` payments. */
  private async countWork(platform: PlatformUnderTest, count: number, measure: () => Promise<unknown>): Promise<PerPayment> {
    await pause(countersSettleMs);
    const before = await platform.use();
    await measure();
    await pause(countersSettleMs);
    const after = await platform.use();
    const each = (part: 'services' | 'log', of: 'statements' | 'rowsInserted') => (after[part][of] - before[part][of]) / count;
    return {
      statements: each('services', 'statements'),
      rowsInserted: each('services', 'rowsInserted'),
      logStatements: each('log', 'statements'),
      logRowsInserted: each('log', 'rowsInserted'),
    };
  }
}

function namesOf(contenders: readonly Contender[]): string[] {
  return contenders.map(({ name }) => name);
}

/** `npm run bench:deliver`; see docs/explanation/performance.md. */
const scales: Record<'quick' | 'full', DeliverScale> = {
  quick: { rounds: 2, warmUp: 3_000, burst: 8_000, steadySeconds: 8 },
  full: { rounds: 3, warmUp: 40_000, burst: 20_000, steadySeconds: 15 },
};
const endpoints = 20;

/** The platform with either transport. */
async function openPlatform(
  around: Circumstances & { neighboursUrl: string },
  brokers?: string,
): Promise<[PlatformUnderTest, Contender]> {
  const name = brokers ? 'kafka' : 'postgres';
  const platform = await PlatformUnderTest.start({ ...around, name, brokers });
  const title = `Paycode, events through ${brokers ? 'Kafka' : 'PostgreSQL'}`;
  return [platform, await platformContender(title, platform, { ...around, brokers })];
}

/** The peers in both variants, and the platform on Kafka where there are brokers. */
async function furtherContenders(around: Circumstances & { neighboursUrl: string }): Promise<Contender[]> {
  const found: Contender[] = [];
  for (const isDurable of [true, false])
    for (const queue of ['graphile-worker', 'pg-boss'] as const) found.push(await peerContender(queue, isDurable, around));
  const brokers = process.env['KAFKA_BROKERS'];
  if (brokers) found.push((await openPlatform(around, brokers))[1]);
  return found;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  const database = await BenchDatabase.start();
  const neighbours = await Neighbours.start();
  const closing: { stop(): Promise<void> }[] = [];
  try {
    const [secrets, certificate] = [makeSecrets(database.home), await writeBenchCertificate(database.home)];
    const receiver = new CalledProcess(bundle('receiver'));
    closing.push(receiver);
    const { healthy } = await receiver.call<ReceiverPorts>('open', { ...certificate, healthy: endpoints, hanging: 0 });
    const merchants = makeMerchants(1_001, healthy, secrets);
    neighbours.know(merchants.map(({ route }) => route));
    const around = { database, secrets, certificate, merchants, neighboursUrl: neighbours.url };
    const [platform, paycode] = await openPlatform(around);
    const contenders = [paycode];
    closing.push(paycode);
    const bench = new DeliverBench(receiver, { ...around, scale: scales[values.quick ? 'quick' : 'full'] });
    contenders.push(...(await furtherContenders(around)));
    closing.push(...contenders.slice(1));
    const isExact = await bench.run({ platform, paycode, contenders });
    process.exitCode = isExact ? 0 : 1;
  } finally {
    await Promise.allSettled(closing.map(each => each.stop()));
    await neighbours.stop();
    await database.stop();
  }
}

runToEnd(main);
