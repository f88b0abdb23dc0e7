/** A job queue on PostgreSQL at the settings that were fastest here: it posts, and with `isDurable` also does what the platform does for a payment. */
import { randomUUID } from 'node:crypto';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { FlushQueue } from '@paycode/persistence';
import { serveCalls } from './child-processes.ts';
import { type PostJob, postTask, postWebhook } from './sinks.ts';

/**
 * The work that a job queue needs around it to give the platform's guarantees: a reversal that is durable before the POST, and a verdict
 * and a decision that are written once. It is as fast as possible: waiting items share a call, as in the dispatcher.
 */
const reversalTask = 'reverse-payment';
const reversalDelayMs = 47_000;

/** A reversal that waits for its time. */
interface Reversal {
  transactionId: number;
}

/** Delayed jobs of a queue, one per payment. */
interface ReversalJobs {
  /** Resolves when all are durable. */
  arm(transactionIds: readonly number[]): Promise<void>;
  /** Resolves when all are gone. */
  disarm(transactionIds: readonly number[]): Promise<void>;
}

const batchMax = { flushMax: 1_000, queueMax: 100_000 };

const tables = `
  create table verdict (transaction_id bigint primary key, kind text not null, attempt smallint not null, at timestamptz not null default clock_timestamp());
  create table decision (transaction_id bigint primary key, kind text not null, at timestamptz not null default clock_timestamp())`;

// Ordered, so that two batches cannot deadlock.
const settle = {
  name: 'settle',
  text: `
    with ended as (
      insert into verdict (transaction_id, kind, attempt) select id, 'ACKED_HTTP', 1 from unnest($1::bigint[]) id order by id
      on conflict do nothing returning transaction_id)
    insert into decision (transaction_id, kind) select transaction_id, 'SETTLED' from ended order by 1 on conflict do nothing`,
};
const reverse = `insert into decision (transaction_id, kind) values ($1, 'REVERSED') on conflict do nothing`;

class DurableWork {
  private readonly arming: FlushQueue<number, void>;
  private readonly settling: FlushQueue<number, void>;

  constructor(
    private readonly pool: Pool,
    jobs: ReversalJobs,
  ) {
    this.arming = new FlushQueue(async ids => {
      await jobs.arm(ids);
      return ids.map(() => undefined);
    }, batchMax);
    this.settling = new FlushQueue(async ids => {
      await pool.query({ ...settle, values: [`{${ids.join(',')}}`] });
      await jobs.disarm(ids);
      return ids.map(() => undefined);
    }, batchMax);
  }

  async createTables(): Promise<void> {
    await this.pool.query(tables);
  }

  /** Arm, POST, settle. */
  async post(job: PostJob): Promise<void> {
    await this.arming.run([job.transactionId]);
    await postWebhook(job);
    await this.settling.run([job.transactionId]);
  }

  /** A reversal whose time has come. */
  async reverse({ transactionId }: Reversal): Promise<void> {
    await this.pool.query(reverse, [transactionId]);
  }
}

export type PeerName = 'graphile-worker' | 'pg-boss';

export interface PeerOptions {
  queue: PeerName;
  databaseUrl: string;
  /** Does what the platform does for a payment, instead of the POST alone. */
  isDurable: boolean;
}

async function durableWork(connectionString: string, jobs: (pool: Pool) => ReversalJobs): Promise<DurableWork> {
  const pool = new Pool({ connectionString, max: 10 });
  const work = new DurableWork(pool, jobs(pool));
  await work.createTables();
  return work;
}

/** Jobs fetched and completed in batches, no fixed delay. */
async function startGraphileWorker({ databaseUrl: connectionString, isDurable }: PeerOptions): Promise<void> {
  const worker = await makeWorkerUtils({ connectionString, maxPoolSize: 4 });
  const keyOf = (transactionId: number) => `reverse-${transactionId}`;
  const delayedJobs = (pool: Pool): ReversalJobs => ({
    arm: async ids => {
      const runAt = new Date(Date.now() + reversalDelayMs);
      const specs = ids.map(transactionId => ({
        identifier: reversalTask,
        payload: { transactionId } satisfies Reversal,
        runAt,
        jobKey: keyOf(transactionId),
      }));
      await worker.addJobs(specs);
    },
    disarm: async ids => {
      const sql = 'select graphile_worker.remove_job(key) from unnest($1::text[]) key';
      await pool.query({ name: 'disarm', text: sql, values: [ids.map(keyOf)] });
    },
  });
  const work = isDurable ? await durableWork(connectionString, delayedJobs) : undefined;
  await run({
    noHandleSignals: true,
    logger: new Logger(() => () => undefined),
    taskList: {
      [postTask]: payload => (work ? work.post(payload as PostJob) : postWebhook(payload as PostJob)),
      ...(work && { [reversalTask]: payload => work.reverse(payload as Reversal) }),
    },
    preset: {
      worker: {
        connectionString,
        concurrentJobs: 128,
        maxPoolSize: 10,
        pollInterval: 500,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
}

/** Woken by NOTIFY, fetching in batches without pause while there is more. */
async function startPgBoss({ databaseUrl: connectionString, isDurable }: PeerOptions): Promise<void> {
  const boss = new PgBoss({ connectionString, max: 10, useListenNotify: true, supervise: false, schedule: false });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue(postTask, { notify: true });
  const jobIds = new Map<number, string>();
  const delayedJobs = (): ReversalJobs => ({
    arm: async ids => {
      const startAfter = new Date(Date.now() + reversalDelayMs);
      const jobs = ids.map(transactionId => ({ id: randomUUID(), data: { transactionId } satisfies Reversal, startAfter }));
      await boss.insert(reversalTask, jobs);
      for (const { id, data } of jobs) jobIds.set(data.transactionId, id);
    },
    disarm: async ids => {
      const jobs = ids.map(id => jobIds.get(id)!);
      await boss.deleteJob(reversalTask, jobs);
      for (const id of ids) jobIds.delete(id);
    },
  });
  const work = isDurable ? await durableWork(connectionString, delayedJobs) : undefined;
  if (work) {
    await boss.createQueue(reversalTask);
    await boss.work<Reversal>(reversalTask, { batchSize: 200 }, async jobs => {
      for (const { data } of jobs) await work.reverse(data);
    });
  }
  const post = (job: PostJob) => (work ? work.post(job) : postWebhook(job));
  const options = { batchSize: 200, localConcurrency: 4, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
  await boss.work<PostJob>(postTask, options, async jobs => void (await Promise.all(jobs.map(({ data }) => post(data)))));
}

serveCalls({
  start: (options: PeerOptions) => (options.queue === 'pg-boss' ? startPgBoss(options) : startGraphileWorker(options)),
});
