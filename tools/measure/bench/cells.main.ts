/** `npm run bench -- cells`: a platform that grows from 1 to 2 and 4 cells; then a move, and kills in a cell, under load (docs/explanation/performance.md). */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@paycode/persistence/embedded';
import { descendantsOf } from '../../prove/testing/processes.ts';
import { kafkaVersion } from '../../run/kafka/distribution.ts';
import { KafkaCluster } from '../../run/kafka/kafka-cluster.ts';
import { BenchDatabase } from './bench-database.ts';
import { CpuShare } from './cpu-share.ts';
import {
  type Burst,
  type Contender,
  idsOf,
  measureBurst,
  measureSteady,
  type Payments,
  platformContender,
  type Steady,
} from './delivery-rounds.ts';
import { makeMerchants } from './merchants.ts';
import { type PlatformFixture, PlatformUnderTest, serviceUnderTest } from './platform-under-test.ts';
import { atLeast, atMost, deviationsOf, median, percentile, printTable, progress, report, show, spreadOf } from './report.ts';
import { type BenchFixture, runBenchmark } from './run-benchmark.ts';

/** Of a core, for each cell. */
const share = 0.15;
const names = ['main', 'b', 'c', 'd'];
const partitionCount = 64;

class Cell {
  private readonly quota: CpuShare;

  private constructor(
    readonly name: string,
    readonly database: BenchDatabase,
    readonly platform: PlatformUnderTest,
  ) {
    this.quota = new CpuShare(share, this.pids(), name);
  }

  static async start(name: string, fixture: PlatformFixture, brokers: string): Promise<Cell> {
    const database = await BenchDatabase.start();
    const platform = await PlatformUnderTest.start({ ...fixture, database, name: 'own', cell: name, brokers });
    return new Cell(name, database, platform);
  }

  /** Starts what was killed. */
  async revive(): Promise<void> {
    await this.platform.revive();
    this.quota.add(this.pids());
  }

  async stop(): Promise<void> {
    this.quota.lift();
    await this.platform.kill();
    await this.database.stop();
    this.quota.close();
  }

  private pids(): number[] {
    const { database, platform } = this;
    const sessions = descendantsOf(database.pid).map(({ pid }) => pid);
    return [platform.dispatcher.pid!, platform.scheduler.pid!, database.pid, ...sessions];
  }
}

type End = Awaited<ReturnType<PlatformUnderTest['verdicts']>>[number];

class Cells {
  readonly all: Cell[] = [];
  /** Cells whose dispatchers were killed: they may post a payment once more (P-I8). */
  mayRepeat: readonly string[] = [];
  /** POSTs that came once more. */
  repeated = 0;

  private constructor(
    private readonly fixture: PlatformFixture,
    private readonly kafka: KafkaCluster,
    /** Options of an operator's command. */
    private readonly connection: string[],
  ) {}

  static async start(fixture: PlatformFixture): Promise<Cells> {
    const { database, secrets, config } = fixture;
    const nodes = [{ client: await freePort(), controller: await freePort() }];
    const kafka = await KafkaCluster.start({ version: kafkaVersion(), nodes, folder: database.folder('kafka') });
    process.once('exit', () => void kafka.stop());
    await kafka.ensureTopics();
    const own = { DATABASE_URL: await database.create('map'), KEY_ENCRYPTION_KEYS: secrets.keyEncryptionKeys };
    const map = await serviceUnderTest('notification-config', database.home, { secrets, env: own });
    await map.start();
    config.mapUrl = map.internalUrl;
    const token = join(database.home, 'operator.token');
    writeFileSync(token, secrets.tokenKeys.operatorToken({ lifetimeS: 7_200 }));
    return new Cells(fixture, kafka, ['--token-file', token, '--url', `notification-config=${map.internalUrl}`]);
  }

  /** Every cell has as many partitions as any other then. */
  async growTo(count: number): Promise<void> {
    for (const name of names.slice(this.all.length, count)) {
      progress(`cell ${name} starts`);
      const cell = await Cell.start(name, this.fixture, this.brokers);
      const { dispatcher, scheduler } = cell.platform;
      await this.operate('add', name, '--dispatcher', dispatcher.internalUrl, '--scheduler', scheduler.internalUrl);
      this.all.push(cell);
    }
    const each = partitionCount / count;
    for (const [at, { name }] of this.all.entries()) if (at > 0) await this.move(`${at * each}-${(at + 1) * each - 1}`, name);
  }

  move(partitions: string, to: string): Promise<void> {
    progress(`partitions ${partitions} move to ${to}`);
    return this.operate('move', '--partitions', partitions, '--to', to);
  }

  get brokers(): string {
    return this.kafka.brokers.join(',');
  }

  async isDone({ firstId, count }: Payments): Promise<boolean> {
    const each = this.all.map(({ platform }) => platform.countOf('decision', firstId, firstId + count - 1));
    return (await Promise.all(each)).reduce((sum, done) => sum + done, 0) >= count;
  }

  /** Over all cells: a payment that two of them took has two verdicts. */
  async deviations(payments: Payments, received: Iterable<number>): Promise<string[]> {
    const may = new Set((await this.endsOf('verdicts', payments, this.mayRepeat)).map(({ transactionId }) => transactionId));
    const seen = new Set<number>();
    const counted = [...received].filter(id => !(seen.has(id) && may.delete(id)) && seen.add(id));
    this.repeated = [...received].length - counted.length;
    const [verdicts, decisions] = [await this.endsOf('verdicts', payments), await this.endsOf('decisions', payments)];
    return deviationsOf({ sent: idsOf(payments), received: counted, verdicts, decisions });
  }

  async endsOf(what: 'verdicts' | 'decisions', { firstId, count }: Payments, cells: readonly string[] = names): Promise<End[]> {
    const chosen = this.all.filter(({ name }) => cells.includes(name));
    return (await Promise.all(chosen.map(({ platform }) => platform[what](firstId, firstId + count - 1)))).flat();
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map(cell => cell.stop()));
    await this.kafka.stop();
  }

  private async operate(...words: string[]): Promise<void> {
    await promisify(execFile)(process.execPath, ['tools/run.cjs', 'paycode', 'cells', ...words, ...this.connection]);
  }
}

/** Payments of each cell; those that warm up are not counted. */
const scales = {
  quick: { rounds: 1, warmUp: 300, burst: 500, steadySeconds: 5 },
  full: { rounds: 3, warmUp: 1_500, burst: 1_500, steadySeconds: 15 },
};
type Scale = typeof scales.full;
const endpoints = 20;
const goals = { ratios: { 2: 1.8, 4: 3.2 }, latency: 1, others: 1.2 };

type Size = Awaited<ReturnType<typeof measureSize>>;

interface Disturbance {
  name: string;
  /** Cells whose payments it concerns. */
  concerned: string[];
  mayRepeat: boolean;
  run(cells: Cells): Promise<unknown>;
}

const disturbances: Disturbance[] = [
  { name: 'partitions move from d to c', concerned: ['c', 'd'], mayRepeat: false, run: cells => cells.move('48-55', 'c') },
  killIn('d', 'dispatcher', ({ platform }) => platform.dispatcher.kill()),
  killIn('d', 'scheduler', ({ platform }) => platform.scheduler.kill()),
  killIn('d', 'PostgreSQL', ({ database }) => database.crash()),
  // All partitions of the others were its own.
  killIn('main', 'dispatcher', ({ platform }) => platform.dispatcher.kill()),
];

function killIn(name: string, what: string, kill: (cell: Cell) => Promise<unknown>): Disturbance {
  const run = async ({ all }: Cells) => {
    const cell = all.find(each => each.name === name)!;
    await kill(cell);
    await cell.revive();
  };
  return { name: `the ${what} of ${name} is killed`, concerned: [name], mayRepeat: what !== 'scheduler', run };
}

type Disturbed = Awaited<ReturnType<typeof disturb>>;

async function measure(fixture: BenchFixture, scale: Scale): Promise<boolean> {
  const merchants = makeMerchants(fixture.config, fixture.ports.healthy);
  const cells = await Cells.start(fixture);
  try {
    await cells.growTo(1);
    const ofMain = await platformContender('cells', cells.all[0]!.platform, { ...fixture, merchants, brokers: cells.brokers });
    const contender: Contender = { ...ofMain, isDone: cells.isDone.bind(cells), deviations: cells.deviations.bind(cells) };
    const sizes: Size[] = [];
    for (const count of [1, 2, 4]) {
      await cells.growTo(count);
      sizes.push(await measureSize(contender, fixture, { ...scale, cells: count }));
    }
    const load = { perSecond: sizes.at(-1)!.steady.perSecond, seconds: scale.steadySeconds };
    const later = (work: () => Promise<unknown>) => () => pause((load.seconds * 1_000) / 3).then(work);
    const round: Round = work => measureSteady(contender, fixture.receiver, { ...load, beside: work && later(work) });
    const disturbed: Disturbed[] = [];
    for (const each of disturbances) disturbed.push(await disturb(each, cells, round));
    return reportCells(sizes, disturbed);
  } finally {
    await cells.stop();
  }
}

async function measureSize(contender: Contender, fixture: BenchFixture, scale: Scale & { cells: number }) {
  const { cells, rounds, warmUp, burst, steadySeconds: seconds } = scale;
  await measureBurst(contender, fixture, cells * warmUp);
  const bursts: Burst[] = [];
  for (let round = 0; round < rounds; round++) bursts.push(await measureBurst(contender, fixture, cells * burst));
  const rates = bursts.map(({ perSecond }) => perSecond);
  const steady = await measureSteady(contender, fixture.receiver, { perSecond: Math.round(median(rates) / 2), seconds });
  const deviations = [...bursts, steady].flatMap(round => round.deviations);
  return { name: `${cells} cells`, cells, rates, steady, deviations };
}

/** A steady load; the work begins after a third of it. */
type Round = (work?: () => Promise<unknown>) => Promise<Steady>;

/** A quiet round, and one with the disturbance. */
async function disturb({ name, concerned, mayRepeat, run }: Disturbance, cells: Cells, round: Round) {
  progress(name);
  const quiet = await round();
  cells.mayRepeat = mayRepeat ? concerned : [];
  const after = await round(() => run(cells));
  cells.mayRepeat = [];
  const p99Of = async ({ latencies }: Steady, isConcerned: boolean) => {
    const payments = { firstId: Math.min(...latencies.keys()), count: latencies.size };
    const own = new Set((await cells.endsOf('verdicts', payments, concerned)).map(({ transactionId }) => transactionId));
    const counted = [...latencies].filter(([id]) => own.has(id) === isConcerned);
    return percentile(counted.map(([, ms]) => ms), 0.99); // prettier-ignore
  };
  /** Of the other cells without and with it, and of those that it concerns. */
  const p99s = [await p99Of(quiet, false), await p99Of(after, false), await p99Of(after, true)] as const;
  return { name, p99s, repeated: cells.repeated, deviations: [...quiet.deviations, ...after.deviations] };
}

function reportCells(sizes: readonly Size[], disturbed: readonly Disturbed[]): boolean {
  const [one, ...grown] = sizes as [Size, ...Size[]];
  const timesOne = ({ rates }: Size) => median(rates) / median(one.rates);
  printTable(
    ['cells', 'payments/s, everything at once', 'times one', 'at half of it, events/s', 'p50 ms', 'p99 ms'],
    sizes.map(size => [
      String(size.cells),
      show(spreadOf(size.rates)),
      timesOne(size).toFixed(2),
      ...[size.steady.perSecond, size.steady.p50Ms, size.steady.p99Ms].map(value => value.toFixed(0)),
    ]),
  );
  printTable(
    ['4 cells, p99 from event to POST', 'others, quiet', 'others', 'concerned', 'second POSTs'],
    disturbed.map(({ name, p99s, repeated }) => [name, ...[...p99s, repeated].map(value => value.toFixed(0))]),
  );
  const growth = grown.flatMap(size => [
    atLeast(`${size.name}, times the payments of one`, goals.ratios[size.cells as 2 | 4], timesOne(size)),
    atMost(`${size.name}, p99 at half, times that of one`, goals.latency, size.steady.p99Ms / one.steady.p99Ms),
  ]);
  const apart = disturbed.map(({ name, p99s: [quiet, others] }) =>
    atMost(`${name}: p99 of the others, times quiet`, goals.others, others / quiet),
  );
  const found = [...sizes, ...disturbed].flatMap(({ name, deviations }) => deviations.map(each => `${name}: ${each}`));
  return report([...growth, ...apart], found);
}

runBenchmark(scales, () => ({ healthy: endpoints, hanging: 0 }), measure);
