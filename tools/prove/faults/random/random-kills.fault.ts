import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../../simulation/engine/timeline.ts';
import { FaultPlatform } from '../environment/fault-platform.ts';
import { answerAfter, type Behaviour, hang } from '../environment/fault-receiver.ts';
import { type FaultServices, patienceMs, times as defaultTimes } from '../environment/fault-services.ts';
import type { ServiceProcess } from '../environment/service-process.ts';
import { broken, type Disturbance, type KillSummary, type SeenPost, summarise } from './kill-summary.ts';

/** Longest time that a process is stopped or stays away: longer than a lease. Milliseconds. */
const awayMsMax = 8_000;

/** Kills, stops and restarts processes at random, and notes when. */
class Disturber {
  readonly done: Disturbance[] = [];
  private readonly busy = new Set<ServiceProcess>();

  constructor(
    private readonly services: FaultServices,
    private readonly choice: Random,
  ) {}

  count(kind: Disturbance['kind']): number {
    return this.done.filter(disturbance => disturbance.kind === kind).length;
  }

  /** One disturbance to its end: the process runs again. */
  async disturb(): Promise<void> {
    const { dispatchers, schedulers, simulator } = this.services;
    // Dispatchers hold what is in flight: they are hit most.
    const victims = [...dispatchers, ...dispatchers, ...schedulers, simulator].filter(each => !this.busy.has(each));
    if (victims.length === 0) return;
    const victim = this.choice.pick(victims);
    const kind = this.choice.pick(['kill', 'kill', 'kill', 'pause', 'pause', 'restart'] as const);
    const awayMs = this.choice.between(0, awayMsMax);
    this.busy.add(victim);
    const fromMs = performance.now();
    const note = () => this.done.push({ name: victim.name, kind, fromMs, toMs: performance.now() });
    try {
      await this[kind](victim, awayMs, note);
    } finally {
      this.busy.delete(victim);
    }
  }

  private async kill(victim: ServiceProcess, awayMs: number, note: () => void): Promise<void> {
    await victim.kill();
    note();
    await pause(awayMs);
    await victim.start();
  }

  private async pause(victim: ServiceProcess, awayMs: number, note: () => void): Promise<void> {
    victim.pause();
    await pause(awayMs);
    victim.resume();
    note();
  }

  private async restart(victim: ServiceProcess, _: number, note: () => void): Promise<void> {
    await victim.stop();
    note();
    await victim.start();
  }
}

const payments = Number(process.env['FAULTS_PAYMENTS'] ?? 10_000);
const seed = Number(process.env['FAULTS_SEED'] ?? 1);
const events = process.env['FAULTS_RANDOM_EVENTS'] === 'kafka' ? 'kafka' : 'postgres';
const merchantCount = 20;
const batch = 50;
/** Least number of kills, stops and restarts during the payments. */
const disturbancesMin = Math.min(24, Math.ceil(payments / 100));
/**
 * Long times, so that a live process does not appear dead on a busy machine: its second attempt would have no kill as
 * an explanation.
 */
const times = {
  ...defaultTimes,
  ackWindow: 6_000,
  connectBudget: 4_000,
  timerDelay: 12_000,
  shardLease: 5_000,
  dispatchWindow: 60_000,
  auditDelay: 65_000,
};
/** The whole run, at most. */
const runMsMax = 20 * 60_000;

/** By the payment's own number: most are acknowledged, at once or late; some are refused, some never answered. */
const behaviour: Behaviour = post => {
  const kind = post.transactionId % 25;
  if (kind < 18) return answerAfter(kind * 20)(post);
  if (kind < 21) return answerAfter(0.6 * times.ackWindow)(post);
  if (kind < 24) return answerAfter(kind * 10, 500)(post);
  return hang(post);
};

describe(`${payments} payments while processes are killed at random (seed ${seed})`, () => {
  let platform: FaultPlatform;
  beforeAll(async () => (platform = await FaultPlatform.start({ events, times })), 2 * patienceMs);
  afterAll(() => platform.close(), 2 * patienceMs);

  const pay = async (merchantId: number, count: number): Promise<number> => {
    try {
      return (await platform.pay(merchantId, count)).length;
    } catch {
      // The payment core was killed meanwhile. The audit covers the payments that it completed; the others do not
      // exist.
      await pause(50);
      return 0;
    }
  };

  /** Two processes are disturbed at any time, from the first payment to the last. */
  const payUnderKills = async (): Promise<Disturber> => {
    const choice = new Random(seed);
    const merchants = await Promise.all(Array.from({ length: merchantCount }, () => platform.merchant(behaviour)));
    const disturber = new Disturber(platform.services, choice);
    const giveUpAt = performance.now() + runMsMax;
    let paid = 0;
    const isOver = () => (paid >= payments && disturber.done.length >= disturbancesMin) || performance.now() > giveUpAt;
    const disturb = async () => {
      while (!isOver()) await disturber.disturb();
    };
    const payAll = async () => {
      while (!isOver()) {
        const isAhead = paid / payments > (disturber.done.length + 1) / disturbancesMin;
        if (isAhead || paid >= payments) await pause(50);
        else paid += await pay(choice.pick(merchants).merchantId, batch);
      }
    };
    await Promise.all([disturb(), disturb(), payAll()]);
    if (paid < payments) throw new Error(`${paid} payments in ${runMsMax} ms, ${payments} were wanted`);
    return disturber;
  };

  /** POSTs of payments only, because notifications that move no money are repeated on a schedule anyway. */
  const seenPosts = async (): Promise<SeenPost[]> => {
    const sql = `select transaction_id as id from transaction where kind = 'PURCHASE'`;
    const rows = await platform.databases.others.query<{ id: string }>('simulator', sql);
    const purchases = new Set(rows.map(({ id }) => Number(id)));
    const posts = platform.receivers.flatMap(receiver => receiver.posts).filter(post => purchases.has(post.transactionId));
    return posts.map(({ transactionId, attempt, arrivedMs, source }) => {
      return { transactionId, attempt, atMs: arrivedMs, from: platform.services.nameOf(source) };
    });
  };

  const tell = (summary: KillSummary, disturber: Disturber, seconds: number) => {
    const { unexplained, ...counts } = summary;
    const numbers = Object.entries(counts).map(([name, value]) => `  ${name}: ${value}`);
    for (const attempts of unexplained) numbers.push(`  without cause: ${JSON.stringify(attempts)}`);
    if (unexplained.length > 0) numbers.push(`  disturbances: ${JSON.stringify(disturber.done)}`);
    const kinds = (['kill', 'pause', 'restart'] as const).map(kind => `${disturber.count(kind)} ${kind}`);
    const rate = Math.round(summary.payments / seconds);
    const lines = [`seed ${seed}, events through ${events}: ${kinds.join(', ')}; ${Math.round(seconds)} s, ${rate} payments/s`];
    process.stderr.write(`${[...lines, ...numbers].join('\n')}\n`);
  };

  it(
    'acknowledged and reversed 0, undecided 0, reversed twice 0, sent twice only where a process was killed or stopped',
    async () => {
      const startedMs = performance.now();
      const disturber = await payUnderKills();
      await platform.heal();
      const report = await platform.auditAtRest(3 * patienceMs);
      const summary = summarise(report, {
        posts: await seenPosts(),
        disturbances: disturber.done,
        ackWindowMs: times.ackWindow,
      });
      tell(summary, disturber, (performance.now() - startedMs) / 1_000);
      expect(summary.payments).toBeGreaterThanOrEqual(payments);
      expect({ broken: broken(summary), summary }).toEqual({ broken: [], summary });
    },
    runMsMax + 4 * patienceMs,
  );
});
