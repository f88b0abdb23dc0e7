import { parseArgs } from 'node:util';
import { BenchDatabase } from './bench-database.ts';
import { CalledProcess, runToEnd } from './child-processes.ts';
import { monotonicMs, until } from './clock.ts';
import { bundle, idsOf, type Payments } from './contender.ts';
import { newPayments } from './delivery-rounds.ts';
import { countDeviations } from './exact-audit.ts';
import { makeSecrets } from './merchants.ts';
import { Neighbours } from './neighbours.ts';
import {
  atLeast,
  atMost,
  type Goal,
  machineFacts,
  percentile,
  print,
  printGoals,
  printTable,
  progress,
  ratioOf,
  show,
  type Spread,
  spreadOf,
  writeJson,
} from './report.ts';
import { fill, openLoad, startPeer, startScheduler, type TimersFixture } from './timer-contenders.ts';
import type { TimerFigures, TimerKind, TimersScale } from './timer-figures.ts';

const own = 'reversal-scheduler';
const goalsOf = { armRatio: 1.5, p99Ms: 10, p99Share: 0.05 };
const peers: TimerKind[] = ['graphile-worker', 'pg-boss'];

/** Prints tables, goals and audit, and writes the JSON file. True when the audits found nothing. */
function reportTimers(figures: TimerFigures, scale: TimersScale, postgres: string): boolean {
  printTable(
    ['arm, batches of 500', 'rows/s'],
    Object.entries(figures.armed).map(([name, rates]) => [name, show(spreadOf(rates), 0)]),
  );
  printTable(
    [`${scale.perSecond} due per second`, 'pending', 'p50 ms', 'p99 ms', 'max ms'],
    Object.entries(figures.lateness).flatMap(([name, runs]) =>
      runs.map(({ pending, p50Ms, p99Ms, maxMs }) => [name, String(pending), ...[p50Ms, p99Ms, maxMs].map(ms => ms.toFixed(1))]),
    ),
  );
  const { readyMs, caughtUpMs, overdue } = figures.restart;
  print(
    `restart after a crash with ${scale.manyPending} pending: ready after ${readyMs.toFixed(0)} ms, ` +
      `${overdue} jobs that fell due meanwhile decided after ${caughtUpMs.toFixed(0)} ms (lease of the dead one included)\n`,
  );
  const goals = goalsReached(figures);
  printGoals(goals);
  for (const deviation of figures.deviations) print(`AUDIT ${deviation}`);
  if (figures.deviations.length === 0) print('audit: every job has exactly one decision, REVERSED');
  print(writeJson('timers', { machine: machineFacts(), postgres, scale, ...figures, goals }));
  return figures.deviations.length === 0;
}

function goalsReached({ armed, lateness }: TimerFigures): Goal[] {
  const ratios = peers.map(peer => ratioOf(armed[own], armed[peer]));
  const arming = ratios.reduce((worst: Spread, ratio) => (ratio.median < worst.median ? ratio : worst));
  const p99Ms = lateness[own].at(-1)!.p99Ms;
  const bestPeerMs = Math.min(...peers.map(peer => lateness[peer].at(-1)!.p99Ms));
  const share = p99Ms / bestPeerMs;
  return [
    atLeast('arm rows/s / best peer', goalsOf.armRatio, { value: arming.median, shown: show(arming) }),
    atMost('lateness p99 with many pending, ms', goalsOf.p99Ms, { value: p99Ms, shown: p99Ms.toFixed(1) }),
    atMost('lateness p99 / best peer', goalsOf.p99Share, { value: share, shown: share.toFixed(3) }),
  ];
}

const kinds: TimerKind[] = [own, ...peers];
const bulk = { batch: 500, concurrency: 4 };
const farMs = 3_600_000;
const soonMs = 3_000;
const warmUpShare = 0.5;
/** Rounds that are not counted. */
const armingWarmUps = 2;
const endTimeoutMs = 120_000;
const database = (kind: TimerKind, use: string) => `${kind.replace('-', '_')}_${use}`;

class TimersBench {
  private readonly figures: TimerFigures = {
    armed: { 'reversal-scheduler': [], 'graphile-worker': [], 'pg-boss': [] },
    lateness: { 'reversal-scheduler': [], 'graphile-worker': [], 'pg-boss': [] },
    restart: { readyMs: NaN, caughtUpMs: NaN, overdue: 0 },
    deviations: [],
  };

  constructor(
    private readonly fixture: TimersFixture,
    private readonly scale: TimersScale,
  ) {}

  /** False when an audit found something. */
  async run(): Promise<boolean> {
    await this.fixture.database.create('timer_events');
    await this.measureArming();
    const { fewPending, manyPending } = this.scale;
    for (const pending of [fewPending, manyPending]) await this.measureScheduler(pending);
    for (const kind of peers) await this.measurePeer(kind, manyPending);
    return reportTimers(this.figures, this.scale, await this.fixture.database.version());
  }

  /** Rows per second, contender after contender in each round. */
  private async measureArming(): Promise<void> {
    progress('arming in bulk');
    for (const kind of kinds) await this.fixture.database.create(database(kind, 'arm'));
    const scheduler = await startScheduler(this.fixture, database('reversal-scheduler', 'arm'), farMs);
    for (const kind of kinds) {
      const url = kind === 'reversal-scheduler' ? scheduler.internalUrl : this.fixture.database.urlOf(database(kind, 'arm'));
      await openLoad(this.fixture, `${kind} arm`, { kind, url, delayMs: farMs });
      // pg-boss takes jobs of queues that exist only.
      if (kind === 'pg-boss') await (await startPeer(this.fixture, kind, database(kind, 'arm'))).stop();
    }
    for (let round = 0; round < armingWarmUps + this.scale.rounds; round++) {
      for (const kind of kinds) {
        const { firstId, count } = newPayments(this.scale.armed);
        const elapsedMs = await this.fixture.load.call<number>('bulk', { name: `${kind} arm`, firstId, count, ...bulk });
        if (round >= armingWarmUps) this.figures.armed[kind].push((count * 1_000) / elapsedMs);
      }
    }
    await scheduler.kill();
  }

  private async measureScheduler(pending: number): Promise<void> {
    progress(`scheduler with ${pending} pending`);
    const kind = 'reversal-scheduler';
    const name = database(kind, `pending_${pending}`);
    await this.fixture.database.create(name);
    const first = await startScheduler(this.fixture, name, soonMs);
    await fill(this.fixture, { kind, name, count: pending });
    await openLoad(this.fixture, name, { kind, url: first.internalUrl, delayMs: soonMs });
    const payments = await this.arm(name);
    await this.untilDecided(name, payments);
    this.note(kind, pending, await this.latenessOf(name, payments));
    await first.kill();
    if (pending === this.scale.manyPending) await this.measureRestart(name);
  }

  /** Armed by a scheduler that dies before they are due; the next one finds them among all that wait. */
  private async measureRestart(name: string): Promise<void> {
    progress('restart after a crash');
    const dying = await startScheduler(this.fixture, name, soonMs);
    await openLoad(this.fixture, `${name} dying`, { kind: 'reversal-scheduler', url: dying.internalUrl, delayMs: soonMs });
    const payments = newPayments(this.scale.perSecond);
    await this.fixture.load.call('bulk', { name: `${name} dying`, ...payments, ...bulk });
    await dying.kill();
    const startedMs = monotonicMs();
    const next = await startScheduler(this.fixture, name, soonMs);
    const readyMs = monotonicMs() - startedMs;
    await this.untilDecided(name, payments);
    this.figures.restart = { readyMs, caughtUpMs: monotonicMs() - startedMs, overdue: payments.count };
    await next.kill();
  }

  private async measurePeer(kind: TimerKind, pending: number): Promise<void> {
    progress(`${kind} with ${pending} pending`);
    const name = database(kind, 'pending');
    await openLoad(this.fixture, name, {
      kind,
      url: await this.fixture.database.create(name).then(() => this.fixture.database.urlOf(name)),
      delayMs: soonMs,
    });
    const worker = await startPeer(this.fixture, kind, name);
    await fill(this.fixture, { kind, name, count: pending });
    const payments = await this.arm(name);
    const lateness = () => worker.call<[number, number][]>('lateness');
    await until(`${kind}: jobs`, async () => (await lateness()).length >= payments.count, {
      withinMs: endTimeoutMs,
      everyMs: 500,
    });
    this.note(kind, pending, counted(payments, await lateness()));
    await worker.stop();
  }

  private async arm(name: string): Promise<Payments> {
    const { perSecond, seconds } = this.scale;
    const payments = newPayments(perSecond * seconds);
    await this.fixture.load.call('steady', { name, ...payments, perSecond });
    return payments;
  }

  private async untilDecided(name: string, { firstId, count }: Payments): Promise<void> {
    const sql = 'select count(*)::int as count from decision where transaction_id between $1 and $2';
    const isDone = async () => {
      const [found] = await this.fixture.database.query<{ count: number }>(name, sql, [firstId, firstId + count - 1]);
      return found!.count >= count;
    };
    await until('decisions', isDone, { withinMs: endTimeoutMs, everyMs: 500 });
  }

  private async latenessOf(name: string, payments: Payments): Promise<number[]> {
    const rows = await this.fixture.database.query<{ id: string; kind: string; late_ms: number }>(
      name,
      `select transaction_id as id, kind, (extract(epoch from d.at - j.due_at) * 1000)::float8 as late_ms
         from decision d join job j using (transaction_id) where transaction_id between $1 and $2`,
      [payments.firstId, payments.firstId + payments.count - 1],
    );
    const ids = rows.map(({ id }) => Number(id));
    this.figures.deviations.push(...countDeviations('decision', idsOf(payments), ids));
    const wrong = rows.filter(({ kind }) => kind !== 'REVERSED').length;
    if (wrong > 0) this.figures.deviations.push(`${wrong} x decision other than REVERSED`);
    return counted(
      payments,
      rows.map(row => [Number(row.id), row.late_ms]),
    );
  }

  private note(kind: TimerKind, pending: number, lateMs: number[]): void {
    const [p50Ms, p99Ms, maxMs] = [0.5, 0.99, 1].map(share => percentile(lateMs, share)) as [number, number, number];
    this.figures.lateness[kind].push({ pending, p50Ms, p99Ms, maxMs });
  }
}

/** Those after the warm-up. */
function counted({ firstId, count }: Payments, late: readonly (readonly [number, number])[]): number[] {
  const first = firstId + count * warmUpShare;
  return late.filter(([id]) => id >= first && id < firstId + count).map(([, ms]) => ms);
}

/** `npm run bench timers`; see docs/explanation/performance.md. */
const scales: Record<'quick' | 'full', TimersScale> = {
  quick: { rounds: 2, armed: 20_000, fewPending: 1_000, manyPending: 100_000, perSecond: 1_000, seconds: 10 },
  full: { rounds: 5, armed: 60_000, fewPending: 1_000, manyPending: 1_000_000, perSecond: 1_000, seconds: 60 },
};

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  const database = await BenchDatabase.start();
  const neighbours = await Neighbours.start();
  const load = new CalledProcess(bundle('timer-load'));
  try {
    const around = { database, neighbours, load, secrets: makeSecrets(database.home) };
    const isExact = await new TimersBench(around, scales[values.quick ? 'quick' : 'full']).run();
    process.exitCode = isExact ? 0 : 1;
  } finally {
    await load.stop();
    await neighbours.stop();
    await database.stop();
  }
}

runToEnd(main);
