/** pg-boss at the settings that were fastest here: woken by NOTIFY, fetching in batches without pause while there is more. */
import { PgBoss } from 'pg-boss';
import { serveCalls } from './child-calls.ts';
import type { PeerOptions } from './graphile-worker.main.ts';
import { postTask, type PostJob } from './sinks.ts';
import { postWebhook } from './webhook-post.ts';

serveCalls({
  start: async ({ databaseUrl }: PeerOptions) => {
    const boss = new PgBoss({ connectionString: databaseUrl, max: 10, useListenNotify: true, supervise: false, schedule: false });
    boss.on('error', console.error);
    await boss.start();
    await boss.createQueue(postTask, { notify: true });
    const options = { batchSize: 200, localConcurrency: 4, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
    await boss.work<PostJob>(
      postTask,
      options,
      async jobs => void (await Promise.all(jobs.map(({ data }) => postWebhook(data)))),
    );
  },
});
