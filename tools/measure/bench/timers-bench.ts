/** The measurements of bench -- timers in their order. */
import { monotonicMs, until } from './clock.ts';
import { newPayments } from './delivery-rounds.ts';
import type { TimerFigures, TimersScale } from './timer-figures.ts';
import type { TimerKind } from './timer-job.ts';
import { progress } from './report.ts';
import { percentile } from './statistics.ts';
import { fill, openLoad, startPeer, startScheduler, type TimersGround } from './timer-contenders.ts';
import { reportTimers } from './timers-report.ts';
import { countDeviations } from './exact-audit.ts';
import { idsOf, type Payments } from './contender.ts';

const kinds: TimerKind[] = ['reversal-scheduler', 'graphile-worker', 'pg-boss'];
const peers = kinds.filter(kind => kind !== 'reversal-scheduler');
const bulk = { batch: 500, concurrency: 4 };
const farMs = 3_600_000;
const soonMs = 3_000;
const warmUpShare = 0.5;
/** Rounds that are not counted. */
const armingWarmUps = 2;
const endTimeoutMs = 120_000;
const database = (kind: TimerKind, use: string) => `${kind.replace('-', '_')}_${use}`;

export class TimersBench {
  private readonly figures: TimerFigures = {
    armed: { 'reversal-scheduler': [], 'graphile-worker': [], 'pg-boss': [] },
    lateness: { 'reversal-scheduler': [], 'graphile-worker': [], 'pg-boss': [] },
    restart: { readyMs: NaN, caughtUpMs: NaN, overdue: 0 },
    deviations: [],
  };

  constructor(
    private readonly ground: TimersGround,
    private readonly scale: TimersScale,
  ) {}

  /** False when an audit found something. */
  async run(): Promise<boolean> {
    await this.ground.database.create('timer_events');
    await this.measureArming();
    const { fewPending, manyPending } = this.scale;
    for (const pending of [fewPending, manyPending]) await this.measureScheduler(pending);
    for (const kind of peers) await this.measurePeer(kind, manyPending);
    return reportTimers(this.figures, this.scale, await this.ground.database.version());
  }

  /** Rows per second, contender after contender in each round. */
  private async measureArming(): Promise<void> {
    progress('arming in bulk');
    for (const kind of kinds) await this.ground.database.create(database(kind, 'arm'));
    const scheduler = await startScheduler(this.ground, database('reversal-scheduler', 'arm'), farMs);
    for (const kind of kinds) {
      const url = kind === 'reversal-scheduler' ? scheduler.internalUrl : this.ground.database.urlOf(database(kind, 'arm'));
      await openLoad(this.ground, `${kind} arm`, { kind, url, delayMs: farMs });
      // pg-boss takes jobs of queues that exist only.
      if (kind === 'pg-boss') await (await startPeer(this.ground, kind, database(kind, 'arm'))).stop();
    }
    for (let round = 0; round < armingWarmUps + this.scale.rounds; round++) {
      for (const kind of kinds) {
        const { firstId, count } = newPayments(this.scale.armed);
        const elapsedMs = await this.ground.load.call<number>('bulk', { name: `${kind} arm`, firstId, count, ...bulk });
        if (round >= armingWarmUps) this.figures.armed[kind].push((count * 1_000) / elapsedMs);
      }
    }
    await scheduler.kill();
  }

  private async measureScheduler(pending: number): Promise<void> {
    progress(`scheduler with ${pending} pending`);
    const kind = 'reversal-scheduler';
    const name = database(kind, `pending_${pending}`);
    await this.ground.database.create(name);
    const first = await startScheduler(this.ground, name, soonMs);
    await fill(this.ground, { kind, name, count: pending });
    await openLoad(this.ground, name, { kind, url: first.internalUrl, delayMs: soonMs });
    const payments = await this.arm(name);
    await this.untilDecided(name, payments);
    this.note(kind, pending, await this.latenessOf(name, payments));
    await first.kill();
    if (pending === this.scale.manyPending) await this.measureRestart(name);
  }

  /** Armed by a scheduler that dies before they are due; the next one finds them among all that wait. */
  private async measureRestart(name: string): Promise<void> {
    progress('restart after a crash');
    const dying = await startScheduler(this.ground, name, soonMs);
    await openLoad(this.ground, `${name} dying`, { kind: 'reversal-scheduler', url: dying.internalUrl, delayMs: soonMs });
    const payments = newPayments(this.scale.perSecond);
    await this.ground.load.call('bulk', { name: `${name} dying`, ...payments, ...bulk });
    await dying.kill();
    const startedMs = monotonicMs();
    const next = await startScheduler(this.ground, name, soonMs);
    const readyMs = monotonicMs() - startedMs;
    await this.untilDecided(name, payments);
    this.figures.restart = { readyMs, caughtUpMs: monotonicMs() - startedMs, overdue: payments.count };
    await next.kill();
  }

  private async measurePeer(kind: TimerKind, pending: number): Promise<void> {
    progress(`${kind} with ${pending} pending`);
    const name = database(kind, 'pending');
    await openLoad(this.ground, name, {
      kind,
      url: await this.ground.database.create(name).then(() => this.ground.database.urlOf(name)),
      delayMs: soonMs,
    });
    const worker = await startPeer(this.ground, kind, name);
    await fill(this.ground, { kind, name, count: pending });
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
    await this.ground.load.call('steady', { name, ...payments, perSecond });
    return payments;
  }

  private async untilDecided(name: string, { firstId, count }: Payments): Promise<void> {
    const sql = 'select count(*)::int as count from decision where transaction_id between $1 and $2';
    const isDone = async () => {
      const [found] = await this.ground.database.query<{ count: number }>(name, sql, [firstId, firstId + count - 1]);
      return found!.count >= count;
    };
    await until('decisions', isDone, { withinMs: endTimeoutMs, everyMs: 500 });
  }

  private async latenessOf(name: string, payments: Payments): Promise<number[]> {
    const rows = await this.ground.database.query<{ id: string; kind: string; late_ms: number }>(
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
