/** A job queue on PostgreSQL at the settings that were fastest here: it posts, and with `isDurable` also does what the platform does for a payment. */
import { randomUUID } from 'node:crypto';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { serveCalls } from './child-processes.ts';
import { DurableWork, type Reversal, reversalDelayMs, type ReversalJobs, reversalTask } from './durable-work.ts';
import { type PostJob, postTask, postWebhook } from './sinks.ts';

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
