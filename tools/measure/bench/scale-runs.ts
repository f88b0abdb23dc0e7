/** The measurements of `npm run bench -- scale` in their order. */
import { monotonicMs, until } from './clock.ts';
import type { Contender, Payments } from './contender.ts';
import { type Burst, latenciesOf, measureBurst, newPayments } from './delivery-rounds.ts';
import type { BenchMerchant } from './merchants.ts';
import type { Arrivals } from './receiver.main.ts';
import { median, percentile, print, printTable, progress } from './report.ts';
import { ScaledPlatform, type ScaleFixture } from './scaled-platform.ts';

export interface ScaleScale {
  replicas: readonly number[];
  /** Payments for each dispatcher of a burst, and to warm each one up. */
  burstEach: number;
  warmUpEach: number;
  rounds: number;
  steadySeconds: number;
}

interface Merchants {
  even: BenchMerchant[];
  /** All at one origin. */
  hot: BenchMerchant[];
}

interface BurstRow {
  replicas: number;
  perSecond: number;
  cpuUs: { dispatcher: number; scheduler: number; database: number };
  shards: number[];
}

interface SteadyLoad {
  name: string;
  merchants: BenchMerchant[];
  /** Of which payments, by their place, the latency counts. Default: of all. */
  counts?: (at: number) => boolean;
  meanwhile?: () => Promise<void>;
}

interface SteadyRow {
  name: string;
  p50Ms: number;
  p99Ms: number;
}

interface ScaleResults {
  bursts: BurstRow[];
  steadies: SteadyRow[];
  deviations: string[];
}

/** Of the payments that warm up, in turn. */
const warmUpShares = [0.02, 0.08, 0.2, 0.3, 0.4];
const endTimeoutMs = 300_000;
/** Where skew, joins and leaves are measured: with the most dispatchers up to here. */
const skewReplicasMax = 4;

export class ScaleRuns {
  private readonly results: ScaleResults = { bursts: [], steadies: [], deviations: [] };
  private scaled!: ScaledPlatform;

  constructor(
    private readonly fixture: ScaleFixture,
    private readonly merchants: Merchants,
    private readonly options: ScaleScale & { coreShare: number },
  ) {}

  async all(): Promise<ScaleResults> {
    const { coreShare, replicas } = this.options;
    this.scaled = await ScaledPlatform.start(this.fixture, coreShare);
    try {
      const skewAt = replicas.findLast(count => count <= skewReplicasMax);
      await this.warmUp(replicas.at(-1)!);
      // From many to one, so that one dispatcher is as warm as several: cold code costs up to three times as much.
      for (const count of replicas.toReversed()) {
        await this.scaled.shrinkTo(count);
        await this.burstsOf(count);
        if (count === skewAt) await this.skews();
      }
    } finally {
      await this.scaled.stop();
    }
    this.report();
    return this.results;
  }

  private async warmUp(replicas: number): Promise<void> {
    const { warmUpEach } = this.options;
    progress(`${replicas} dispatchers`);
    await this.scaled.growTo(replicas);
    const contender = await this.contender(`${replicas} dispatchers warm up`, this.merchants.even);
    await this.scaled.unlimited(async () => {
      // Few at first: thousands of handshakes at once would keep the receiver busy for longer than a connection may take.
      for (const share of warmUpShares) await measureBurst(contender, this.fixture, Math.round(warmUpEach * share) * replicas);
    });
  }

  private async burstsOf(replicas: number): Promise<void> {
    const contender = await this.contender(`${replicas} dispatchers`, this.merchants.even);
    const { fixture } = this;
    const { burstEach, rounds } = this.options;
    const bursts: Burst[] = [];
    for (let round = 0; round < rounds; round++) bursts.push(await measureBurst(contender, fixture, burstEach * replicas));
    for (const { deviations } of bursts) this.results.deviations.push(...deviations);
    const cpuOf = (part: RegExp) =>
      median(bursts.map(({ cpuUsBy }) => sum(Object.entries(cpuUsBy).flatMap(([name, us]) => (part.test(name) ? [us] : [])))));
    this.results.bursts.unshift({
      replicas,
      perSecond: median(bursts.map(({ perSecond }) => perSecond)),
      cpuUs: { dispatcher: cpuOf(/^dispatcher/), scheduler: cpuOf(/^scheduler/), database: cpuOf(/^PostgreSQL/) },
      shards: await this.scaled.shards(),
    });
  }

  private async skews(): Promise<void> {
    const { even, hot } = this.merchants;
    const others = even.slice(0, hot.length);
    const isOther = (at: number) => at % 10 >= hotOfTen;
    await this.steady({ name: 'even', merchants: others });
    await this.steady({ name: 'others beside a merchant with 80 %', merchants: mixed([hot[0]!], others), counts: isOther });
    await this.steady({ name: 'others beside an origin with 80 %', merchants: mixed(hot, others), counts: isOther });
    await this.steady({ name: 'while one joins and one leaves', merchants: others, meanwhile: () => this.joinAndLeave() });
  }

  private async joinAndLeave(): Promise<void> {
    await this.scaled.growTo(this.scaled.dispatchers.length + 1);
    await this.scaled.shrinkTo(this.scaled.dispatchers.length - 1);
  }

  /** At half of what the last burst reached. */
  private async steady({ name, merchants, counts = () => true, meanwhile }: SteadyLoad): Promise<void> {
    const perSecond = Math.max(1, Math.round(this.results.bursts[0]!.perSecond / 2));
    progress(`${name}: ${perSecond}/s`);
    const contender = await this.contender(name, merchants);
    const payments = newPayments(perSecond * this.options.steadySeconds);
    await this.fixture.receiver.call('reset');
    await contender.prepare(payments);
    const [{ startedMs }] = await Promise.all([contender.send(perSecond), meanwhile?.()]);
    const arrivals = await this.untilEnded(contender, payments);
    const chosen = chosenOf(arrivals, id => counts(id - payments.firstId));
    const latencies = latenciesOf(chosen, { payments, startedMs, perSecond });
    this.results.steadies.push({ name, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) });
  }

  private async untilEnded(contender: Contender, payments: Payments): Promise<Arrivals> {
    const beganMs = monotonicMs();
    await until(`${payments.count} payments`, () => contender.isDone(payments), { withinMs: endTimeoutMs, everyMs: 50 });
    progress(`ended ${((monotonicMs() - beganMs) / 1_000).toFixed(1)} s after the last was sent`);
    const arrivals = await this.fixture.receiver.call<Arrivals>('arrivals');
    this.results.deviations.push(...(await contender.deviations(payments, arrivals.transactionIds)));
    return arrivals;
  }

  /** CPU is charged to every dispatcher that runs now. */
  private async contender(name: string, merchants: BenchMerchant[]): Promise<Contender> {
    const contender = await this.scaled.contender(name, merchants);
    const { scheduler, generator } = contender.processes;
    const processes: Record<string, number> = { scheduler: scheduler!, generator: generator! };
    this.scaled.dispatchers.forEach(({ pid }, at) => (processes[`dispatcher ${at + 1}`] = pid));
    return { ...contender, processes };
  }

  private report(): void {
    const { bursts, steadies, deviations } = this.results;
    const { burstEach, coreShare } = this.options;
    print(`each dispatcher has ${coreShare * 100} % of a core (quota of a control group), ${burstEach} payments each at once`);
    printTable(
      ['dispatchers', 'payments/s', 'beside one', 'CPU us: dispatchers', 'scheduler', 'PostgreSQL', 'shards'],
      bursts.map(({ replicas, perSecond, cpuUs, shards }) => [
        String(replicas),
        perSecond.toFixed(0),
        (perSecond / bursts[0]!.perSecond).toFixed(2),
        ...[cpuUs.dispatcher, cpuUs.scheduler, cpuUs.database].map(us => us.toFixed(0)),
        shards.join(' '),
      ]),
    );
    printTable(
      ['at half of that, due to POST', 'p50 ms', 'p99 ms'],
      steadies.map(({ name, p50Ms, p99Ms }) => [name, p50Ms.toFixed(0), p99Ms.toFixed(0)]),
    );
    print(deviations.length === 0 ? 'audit: nothing found' : `audit: ${deviations.join('; ')}`);
  }
}

function chosenOf(arrivals: Arrivals, isChosen: (id: number) => boolean): Arrivals {
  const places = [...arrivals.transactionIds.keys()].filter(at => isChosen(arrivals.transactionIds[at]!));
  return {
    ...arrivals,
    transactionIds: Float64Array.from(places, at => arrivals.transactionIds[at]!),
    atMs: Float64Array.from(places, at => arrivals.atMs[at]!),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Of ten payments, those of the merchant, or the origin, that has most. */
const hotOfTen = 8;

/** Of ten payments, eight of the hot ones, in turn. */
function mixed(hot: readonly BenchMerchant[], others: readonly BenchMerchant[]): BenchMerchant[] {
  const length = 10 * Math.max(hot.length, others.length);
  return Array.from({ length }, (_, at) => {
    const turn = Math.floor(at / 10);
    return at % 10 < hotOfTen
      ? hot[(turn * hotOfTen + (at % 10)) % hot.length]!
      : others[(turn * 2 + (at % 10)) % others.length]!;
  });
}
