/** graphile-worker at the settings that were fastest here: jobs fetched and completed in batches, no fixed delay. */
import { Logger, makeWorkerUtils, run, type TaskList } from 'graphile-worker';
import { Pool } from 'pg';
import { serveCalls } from './child-processes.ts';
import { DurableWork, type Reversal, reversalDelayMs, type ReversalJobs, reversalTask } from './durable-work.ts';
import { type PostJob, postTask, postWebhook } from './sinks.ts';

export interface PeerOptions {
  databaseUrl: string;
  /** Does what the platform does for a payment, instead of the POST alone. */
  isDurable: boolean;
}

const keyOf = (transactionId: number) => `reverse-${transactionId}`;

async function delayedJobs(connectionString: string, pool: Pool): Promise<ReversalJobs> {
  const worker = await makeWorkerUtils({ connectionString, maxPoolSize: 4 });
  return {
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
  };
}

async function tasksOf({ databaseUrl, isDurable }: PeerOptions): Promise<TaskList> {
  if (!isDurable) return { [postTask]: payload => postWebhook(payload as PostJob) };
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  const work = new DurableWork(pool, await delayedJobs(databaseUrl, pool));
  await work.createTables();
  return {
    [postTask]: payload => work.post(payload as PostJob),
    [reversalTask]: payload => work.reverse(payload as Reversal),
  };
}

serveCalls({
  start: async (options: PeerOptions) => {
    await run({
      noHandleSignals: true,
      logger: new Logger(() => () => undefined),
      taskList: await tasksOf(options),
      preset: {
        worker: {
          connectionString: options.databaseUrl,
          concurrentJobs: 128,
          maxPoolSize: 10,
          pollInterval: 500,
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
  },
});
