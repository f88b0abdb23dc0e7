import { percentile } from '../bench/statistics.ts';
import { BatchStage } from './batch-stage.ts';
import { EventCalendar } from './event-calendar.ts';
import { Server } from './server.ts';
import type { BatchedCost, Costs } from './stage-costs.ts';

export interface ScaleOptions {
  dispatchers: number;
  schedulers: number;
  /** Cores of PostgreSQL, all databases together. */
  databaseCores: number;
  /** Share of a core that each dispatcher gets. */
  share?: number;
  costs: Costs;
  /** Payments a second; all at once when infinite. */
  perSecond: number;
  payments: number;
  /** From the end of a request to its answer. */
  answerMs: number;
  /** Partitions of the topic: a partition belongs to one dispatcher. Default: 64. */
  partitions?: number;
  /** One seed, one run. Default: 1. */
  seed?: number;
}

export interface ScaleFigures {
  perSecond: number;
  /** From due to POST, without the first quarter. */
  p50Ms: number;
  p99Ms: number;
  /** Share of the time that it works; of the busiest dispatcher and scheduler, and of all cores of the database. */
  busy: { dispatcher: number; scheduler: number; database: number };
  /** Processor time of a payment. */
  cpuUs: { dispatcher: number; scheduler: number; database: number };
  /** Payments in a batch. */
  batch: number;
}

interface Payment {
  dueUs: number;
  postedUs: number;
}

const defaultPartitions = 64;
/** So long that a dozen payments share a batch at 1,000/s on one dispatcher, as measured: spacing, commits and calls together. */
const limits = { batchMax: 500, spacingUs: 12_000 };
/** Batches that a payment is part of: recorded, armed, its verdict, settled. */
const stages = 4;
/** Of the dispatcher's work for a payment, the POST; the rest is even over the stages. */
const postShare = 0.5;
const warmUpShare = 0.25;

/** Flow of a payment: due -> recorded -> armed -> posted -> its verdict -> settled. Each step is a batch, but for the POST. */
export function simulateScale(options: ScaleOptions): ScaleFigures {
  const calendar = new EventCalendar();
  const { dispatchers, schedulers, share = 1, costs } = options;
  const database = new Server(calendar, options.databaseCores);
  const loops = Array.from({ length: dispatchers }, () => new Server(calendar, 1, share));
  const deciders = Array.from({ length: schedulers }, () => new Server(calendar, 1));
  const run: Run = { payments: [], lastUs: 0 };
  const replicas = loops.map((loop, at) =>
    replicaOf({ calendar, loop, decider: deciders[at % schedulers]!, database, costs, answerUs: options.answerMs * 1_000 }, run),
  );
  announce(calendar, options, (payment, partition) => {
    run.payments.push(payment);
    replicas[partition % dispatchers]!.record.add(payment);
  });
  calendar.run(Number.POSITIVE_INFINITY);
  const elapsedUs = run.lastUs;
  const busyOf = (servers: readonly Server[]) => Math.max(...servers.map(({ busyUs }) => busyUs));
  const cpuOf = (servers: readonly Server[]) => servers.reduce((sum, { busyUs }) => sum + busyUs, 0) / options.payments;
  const all = replicas.flatMap(replica => Object.values(replica));
  const latencies = run.payments
    .slice(Math.floor(options.payments * warmUpShare))
    .map(({ dueUs, postedUs }) => (postedUs - dueUs) / 1_000);
  return {
    perSecond: (options.payments * 1e6) / elapsedUs,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    busy: {
      dispatcher: busyOf(loops) / (elapsedUs * share),
      scheduler: busyOf(deciders) / elapsedUs,
      database: database.busyUs / (elapsedUs * options.databaseCores),
    },
    cpuUs: { dispatcher: cpuOf(loops), scheduler: cpuOf(deciders), database: cpuOf([database]) },
    batch: all.reduce((sum, { taken }) => sum + taken, 0) / all.reduce((sum, { batches }) => sum + batches, 0),
  };
}

interface Run {
  payments: Payment[];
  /** When the last payment ended so far. */
  lastUs: number;
}

interface Parts {
  calendar: EventCalendar;
  loop: Server;
  decider: Server;
  database: Server;
  costs: Costs;
  answerUs: number;
}

/** The stages of one dispatcher. */
function replicaOf({ calendar, loop, decider, database, costs, answerUs }: Parts, run: Run) {
  const stageUs = ({ paymentUs, batchUs }: BatchedCost, count: number, part: number) =>
    (batchUs + paymentUs * part * count) / stages;
  /** The scheduler takes part in half of the stages. */
  const stage = (asksScheduler: boolean, next: (payment: Payment) => void) =>
    new BatchStage<Payment>(calendar, limits, (batch, done) => {
      const finish = () => {
        done();
        for (const payment of batch) next(payment);
      };
      const write = () => database.work(stageUs(costs.database, batch.length, 1), finish);
      const decide = () => decider.work(2 * stageUs(costs.scheduler, batch.length, 1), write);
      loop.work(stageUs(costs.dispatcher, batch.length, 1 - postShare), asksScheduler ? decide : write);
    });
  const settle = stage(true, () => void (run.lastUs = calendar.nowUs));
  const verdict = stage(false, payment => settle.add(payment));
  const post = (payment: Payment) =>
    loop.work(costs.dispatcher.paymentUs * postShare, () => {
      payment.postedUs = calendar.nowUs;
      calendar.after(answerUs, () => verdict.add(payment));
    });
  const arm = stage(true, post);
  const record = stage(false, payment => arm.add(payment));
  return { record, arm, verdict, settle };
}

/** Payments come independently of each other, each in a partition by its id. */
function announce(
  calendar: EventCalendar,
  { perSecond, payments, partitions = defaultPartitions, seed = 1 }: ScaleOptions,
  record: (payment: Payment, partition: number) => void,
): void {
  const random = generator(seed);
  const next = (left: number): void => {
    if (left === 0) return;
    const gapUs = perSecond === Infinity ? 0 : (-Math.log(1 - random()) * 1e6) / perSecond;
    calendar.after(gapUs, () => {
      const payment = { dueUs: calendar.nowUs, postedUs: NaN };
      record(payment, Math.floor(random() * partitions));
      next(left - 1);
    });
  };
  next(payments);
}

/** Mulberry32: uniform in [0, 1). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
