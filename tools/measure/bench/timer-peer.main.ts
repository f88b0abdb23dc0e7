/** Worker of a peer for the timers benchmark: notes how late each job begins, which is less than a durable decision takes. */
import { Logger, run } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import { serveCalls } from './child-processes.ts';
import { type TimerJob, type TimerKind, timerTask } from './timer-figures.ts';

const lateMs = new Map<number, number>();

function note({ transactionId, dueAtMs }: TimerJob): void {
  lateMs.set(transactionId, Date.now() - dueAtMs);
}

async function startGraphileWorker(connectionString: string): Promise<void> {
  await run({
    noHandleSignals: true,
    logger: new Logger(() => () => undefined),
    taskList: { [timerTask]: async payload => note(payload as TimerJob) },
    preset: {
      worker: {
        connectionString,
        concurrentJobs: 64,
        maxPoolSize: 10,
        // Future jobs are found by polling only, so it polls as often as is reasonable.
        pollInterval: 20,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
}

async function startPgBoss(connectionString: string): Promise<void> {
  const boss = new PgBoss({ connectionString, max: 10, supervise: false, schedule: false });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue(timerTask);
  // Half a second is the shortest that it allows.
  const options = { batchSize: 500, localConcurrency: 4, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
  await boss.work<TimerJob>(timerTask, options, async jobs => jobs.forEach(({ data }) => note(data)));
}

serveCalls({
  start: ({ kind, url }: { kind: TimerKind; url: string }) => (kind === 'pg-boss' ? startPgBoss(url) : startGraphileWorker(url)),
  lateness: () => [...lateMs],
});
