/** The measurements of bench:deliver in their order, with their output. */
import { setTimeout as pause } from 'node:timers/promises';
import { CalledProcess } from './child-calls.ts';
import { bundle, type Circumstances, type Contender } from './contender.ts';
import { type Burst, type Ground, measureBurst, measureSteady, newPayments } from './delivery-rounds.ts';
import type { FloorResult } from './floor.main.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';
import { cpuUsOf } from './process-usage.ts';
import type { DeliverScale, DeliveryFigures, FloorRound, PerPayment } from './delivery-figures.ts';
import { reportDelivery } from './deliver-report.ts';
import { print } from './report.ts';

export interface Participants {
  platform: PlatformUnderTest;
  paycode: Contender;
  contenders: Contender[];
}

/** An idle session of PostgreSQL may report its counters up to ten seconds late. */
const countersSettleMs = 11_000;
const floorConcurrency = 64;
const nothing: PerPayment = { statements: NaN, rowsInserted: NaN, logStatements: NaN, logRowsInserted: NaN };

export class DeliverBench {
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
      for (const contender of contenders) await measureBurst(contender, this.ground, warmUp);
      await this.measureFloor(warmUp);
      for (let round = 0; round < rounds; round++) {
        figures.floor.push(await this.measureFloor(burst));
        for (const contender of contenders)
          this.note(figures.bursts, contender, await measureBurst(contender, this.ground, burst));
      }
      // A separate burst, so that waiting for the counters disturbs no other figure.
      figures.perPayment.burst = await this.countWork(platform, burst, () => measureBurst(paycode, this.ground, burst));
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

  /** Bursts of one contender, without figures. */
  async runAlone(contender: Contender): Promise<void> {
    const { rounds, burst } = this.options.scale;
    for (let round = 0; round < rounds; round++) {
      const { perSecond, cpuUsBy } = await measureBurst(contender, this.ground, burst);
      const used = Object.entries(cpuUsBy).map(([name, us]) => `${name} ${us.toFixed(0)}`);
      print(`${contender.name}: ${perSecond.toFixed(0)}/s; CPU us each: ${used.join(', ')}`);
    }
    await this.floor.stop();
  }

  private get ground(): Ground {
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
