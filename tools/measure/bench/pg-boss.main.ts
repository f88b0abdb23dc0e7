/** pg-boss at the settings that were fastest here: woken by NOTIFY, fetching in batches without pause while there is more. */
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { serveCalls } from './child-processes.ts';
import { DurableWork, type Reversal, reversalDelayMs, type ReversalJobs, reversalTask } from './durable-work.ts';
import type { PeerOptions } from './graphile-worker.main.ts';
import { type PostJob, postTask, postWebhook } from './sinks.ts';

function delayedJobs(boss: PgBoss): ReversalJobs {
  const jobIds = new Map<number, string>();
  return {
    arm: async ids => {
      const startAfter = new Date(Date.now() + reversalDelayMs);
      const jobs = ids.map(transactionId => ({ id: randomUUID(), data: { transactionId } satisfies Reversal, startAfter }));
      await boss.insert(reversalTask, jobs);
      for (const { id, data } of jobs) jobIds.set(data.transactionId, id);
    },
    disarm: async ids => {
      await boss.deleteJob(
        reversalTask,
        ids.map(id => jobIds.get(id)!),
      );
      for (const id of ids) jobIds.delete(id);
    },
  };
}

async function durableWork(boss: PgBoss, connectionString: string): Promise<DurableWork> {
  const work = new DurableWork(new Pool({ connectionString, max: 10 }), delayedJobs(boss));
  await work.createTables();
  await boss.createQueue(reversalTask);
  await boss.work<Reversal>(reversalTask, { batchSize: 200 }, async jobs => {
    for (const { data } of jobs) await work.reverse(data);
  });
  return work;
}

serveCalls({
  start: async ({ databaseUrl, isDurable }: PeerOptions) => {
    const boss = new PgBoss({ connectionString: databaseUrl, max: 10, useListenNotify: true, supervise: false, schedule: false });
    boss.on('error', console.error);
    await boss.start();
    await boss.createQueue(postTask, { notify: true });
    const work = isDurable ? await durableWork(boss, databaseUrl) : undefined;
    const post = (job: PostJob) => (work ? work.post(job) : postWebhook(job));
    const options = { batchSize: 200, localConcurrency: 4, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
    await boss.work<PostJob>(postTask, options, async jobs => void (await Promise.all(jobs.map(({ data }) => post(data)))));
  },
});
