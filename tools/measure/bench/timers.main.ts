/** `npm run bench -- timers`: how fast reversals are armed, and how late they are decided (docs/explanation/performance.md). */
import { freePort } from '@paycode/persistence/embedded';
import { bundle, CalledProcess } from './child-processes.ts';
import { idsOf, newPayments, type Payments } from './delivery-rounds.ts';
import { countDeviations } from './exact-audit.ts';
import { monotonicMs, until } from './meters.ts';
import { type ServiceUnderTest, startService } from './platform-under-test.ts';
import { atMost, percentile, print, printTable, progress, report, show, spreadOf } from './report.ts';
import { type BenchFixture, runBenchmark } from './run-benchmark.ts';
import type { TimerTarget } from './timer-load.main.ts';

/** Jobs of an arming round, and those that wait in the table while jobs fall due. */
const scales = {
  quick: { rounds: 2, armed: 20_000, fewPending: 1_000, manyPending: 100_000, perSecond: 1_000, seconds: 10 },
  full: { rounds: 5, armed: 60_000, fewPending: 1_000, manyPending: 1_000_000, perSecond: 1_000, seconds: 60 },
};
const p99MsMax = 10;
const farMs = 3_600_000;
const soonMs = 3_000;
const warmUpShare = 0.5;
const armingWarmUps = 2;
const endTimeoutMs = 120_000;

/** Jobs that are due later than anything measured. */
const fill = `
  insert into job (transaction_id, shard, merchant_id, attempt, due_at)
  select i, i % 256, 1001, 1, clock_timestamp() + interval '2 hours' + i * interval '1 millisecond' from generate_series(1, $1::int) i`;
const decided = 'select count(*)::int as count from decision where transaction_id between $1 and $2';
const lateness = `
  select transaction_id as id, kind, (extract(epoch from d.at - j.due_at) * 1000)::float8 as late_ms
    from decision d join job j using (transaction_id) where transaction_id between $1 and $2`;

class TimersBench {
  private readonly load = new CalledProcess(bundle('timer-load'));
  private readonly deviations: string[] = [];

  constructor(
    private readonly fixture: BenchFixture,
    private readonly scale: typeof scales.full,
  ) {}

  async run(): Promise<boolean> {
    const { database } = this.fixture;
    for (const name of ['timer_events', 'arm', 'few', 'many']) await database.create(name);
    const armed = await this.arming();
    const { fewPending, manyPending } = this.scale;
    const late = [await this.latenessWith('few', fewPending), await this.latenessWith('many', manyPending)];
    const restart = await this.restart('many');
    printTable(['arm, batches of 500', 'rows/s'], [['reversal-scheduler', show(spreadOf(armed), 0)]]);
    printTable(
      [`${this.scale.perSecond} due per second; pending`, 'p50 ms', 'p99 ms', 'max ms'],
      late.map(({ pending, ...each }) => [String(pending), ...Object.values(each).map(ms => ms.toFixed(1))]),
    );
    print(`restart after a crash with ${manyPending} pending: ready after ${restart.readyMs.toFixed(0)} ms, what fell due`);
    print(`meanwhile decided after ${restart.caughtUpMs.toFixed(0)} ms (lease of the dead one included)\n`);
    const goals = [atMost('lateness p99 with many pending, ms', p99MsMax, late[1]!.p99Ms)];
    const figures = { postgres: await database.version(), scale: this.scale, armed, lateness: late, restart };
    return report({ name: 'timers', goals, deviations: this.deviations, figures });
  }

  /** Rows per second, round by round. */
  private async arming(): Promise<number[]> {
    progress('arming in bulk');
    const scheduler = await this.start('arm', farMs);
    const rates: number[] = [];
    for (let round = 0; round < armingWarmUps + this.scale.rounds; round++) {
      const payments = newPayments(this.scale.armed);
      rates.push((payments.count * 1_000) / (await this.load.call<number>('bulk', payments)));
    }
    await scheduler.kill();
    return rates.slice(armingWarmUps);
  }

  private async latenessWith(name: string, pending: number) {
    progress(`${pending} pending`);
    const { database } = this.fixture;
    const scheduler = await this.start(name, soonMs);
    // A million rows at once are no part of the load: what they leave for the next checkpoint would fall into the minute that is measured.
    await database.query(name, fill, [pending]);
    for (const sql of ['vacuum analyze', 'checkpoint']) await database.query(name, sql);
    const { perSecond, seconds } = this.scale;
    const payments = newPayments(perSecond * seconds);
    await this.load.call('steady', { ...payments, perSecond });
    await this.untilDecided(name, payments);
    const lateMs = await this.latenessOf(name, payments);
    await scheduler.kill();
    return { pending, p50Ms: percentile(lateMs, 0.5), p99Ms: percentile(lateMs, 0.99), maxMs: percentile(lateMs, 1) };
  }

  /** Armed by a scheduler that dies before they are due; the next one finds them among all that wait. */
  private async restart(name: string): Promise<{ readyMs: number; caughtUpMs: number }> {
    progress('restart after a crash');
    const dying = await this.start(name, soonMs);
    const payments = newPayments(this.scale.perSecond);
    await this.load.call('bulk', payments);
    await dying.kill();
    const startedMs = monotonicMs();
    const next = await this.start(name, soonMs);
    const readyMs = monotonicMs() - startedMs;
    await this.untilDecided(name, payments);
    const caughtUpMs = monotonicMs() - startedMs;
    await next.kill();
    return { readyMs, caughtUpMs };
  }

  /** A scheduler on the database `name`, whose timers wait for `delayMs`; the load goes to it. */
  private async start(name: string, delayMs: number): Promise<ServiceUnderTest> {
    const { database, neighbours, secrets } = this.fixture;
    const scheduler = await startService({
      name: 'reversal-scheduler',
      folder: database.folder(name),
      port: await freePort(),
      env: {
        DATABASE_URL: database.urlOf(name),
        EVENTS_DATABASE_URL: database.urlOf('timer_events'),
        ...secrets.tokenKeys.env('reversal-scheduler'),
        WEBHOOK_DISPATCHER_URL: neighbours.url,
        TIMER_DELAY_MS: String(delayMs),
      },
    });
    const { services, servicePublicKeys } = secrets.tokenKeys.files;
    const signerFiles = { privateKeyFile: services['webhook-dispatcher'], servicePublicKeysFile: servicePublicKeys };
    await this.load.call('open', { url: scheduler.internalUrl, signerFiles } satisfies TimerTarget);
    return scheduler;
  }

  private async untilDecided(name: string, { firstId, count }: Payments): Promise<void> {
    const countOf = () => this.fixture.database.query<{ count: number }>(name, decided, [firstId, firstId + count - 1]);
    await until('decisions', async () => (await countOf())[0]!.count >= count, { withinMs: endTimeoutMs, everyMs: 500 });
  }

  /** Milliseconds of the payments after the warm-up; every payment is audited. */
  private async latenessOf(name: string, payments: Payments): Promise<number[]> {
    const { firstId, count } = payments;
    const range = [firstId, firstId + count - 1];
    const rows = await this.fixture.database.query<{ id: string; kind: string; late_ms: number }>(name, lateness, range);
    const ids = rows.map(({ id }) => Number(id));
    this.deviations.push(...countDeviations('decision', idsOf(payments), ids));
    const wrong = rows.filter(({ kind }) => kind !== 'REVERSED').length;
    if (wrong > 0) this.deviations.push(`${wrong} x decision other than REVERSED`);
    return rows.filter(({ id }) => Number(id) >= firstId + count * warmUpShare).map(({ late_ms: lateMs }) => lateMs);
  }
}

runBenchmark(
  scales,
  () => ({ healthy: 0, hanging: 0 }),
  (fixture, scale) => new TimersBench(fixture, scale).run(),
);
