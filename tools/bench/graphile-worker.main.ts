/** graphile-worker at the settings that were fastest here: jobs fetched and completed in batches, no fixed delay. */
import { Logger, run } from 'graphile-worker';
import { serveCalls } from './child-calls.ts';
import { postTask, type PostJob } from './sinks.ts';
import { postWebhook } from './webhook-post.ts';

export interface PeerOptions {
  databaseUrl: string;
}

serveCalls({
  start: async ({ databaseUrl }: PeerOptions) => {
    await run({
      noHandleSignals: true,
      logger: new Logger(() => () => undefined),
      taskList: { [postTask]: payload => postWebhook(payload as PostJob) },
      preset: {
        worker: {
          connectionString: databaseUrl,
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
