/** Load generator of the timers benchmark in a process of its own: arms through the service as the dispatcher does, or fills the queue of a peer. */
import { setTimeout as pause } from 'node:timers/promises';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { makeWorkerUtils } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import { serveCalls } from './child-processes.ts';
import { monotonicMs } from './clock.ts';
import { type TimerJob, type TimerKind, timerTask } from './timer-figures.ts';

export interface TimerTarget {
  kind: TimerKind;
  /** Internal base URL of the scheduler, or the peer's database. */
  url: string;
  /** Key files of the dispatcher, in whose name the scheduler is asked. */
  signerFiles: { privateKeyFile: string; servicePublicKeysFile: string };
  /** How long peers' jobs wait; the scheduler has a setting for it. */
  delayMs: number;
}

export interface BulkOptions {
  firstId: number;
  count: number;
  batch: number;
  /** Calls under way at a time. */
  concurrency: number;
}

export interface SteadyOptions {
  firstId: number;
  count: number;
  perSecond: number;
}

type Arm = (ids: number[]) => Promise<unknown>;
const targets = new Map<string, Arm>();

const openers: Record<TimerKind, (target: TimerTarget) => Promise<Arm>> = {
  'reversal-scheduler': async ({ url, signerFiles }) => {
    const signer = new ServiceTokenSigner('webhook-dispatcher', signerFiles);
    const client = new InternalClient({ baseUrl: url, audience: 'reversal-scheduler', signer, timeoutMs: 30_000 });
    return ids =>
      client.post(
        '/internal/reversals/arm',
        ids.map(transactionId => ({ transactionId, merchantId: 1_001, attempt: 1 })),
      );
  },
  'graphile-worker': async ({ url, delayMs }) => {
    const worker = await makeWorkerUtils({ connectionString: url, maxPoolSize: 4 });
    await worker.migrate();
    return ids =>
      worker.addJobs(jobsOf(ids, delayMs).map(payload => ({ identifier: timerTask, payload, runAt: new Date(payload.dueAtMs) })));
  },
  'pg-boss': async ({ url, delayMs }) => {
    const boss = new PgBoss({ connectionString: url, max: 4, supervise: false, schedule: false });
    boss.on('error', console.error);
    await boss.start();
    return ids =>
      boss.insert(
        timerTask,
        jobsOf(ids, delayMs).map(data => ({ data, startAfter: new Date(data.dueAtMs) })),
      );
  },
};

function jobsOf(ids: number[], delayMs: number): TimerJob[] {
  const dueAtMs = Date.now() + delayMs;
  return ids.map(transactionId => ({ transactionId, dueAtMs }));
}

const idsFrom = (firstId: number, count: number) => Array.from({ length: count }, (_, at) => firstId + at);

/** As fast as possible, in large batches; the time it took. */
async function bulk(arm: Arm, { firstId, count, batch, concurrency }: BulkOptions): Promise<number> {
  const startedMs = monotonicMs();
  let next = 0;
  const loop = async (): Promise<void> => {
    for (let at = next; at < count; at = next) {
      next += batch;
      await arm(idsFrom(firstId + at, Math.min(batch, count - at)));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return monotonicMs() - startedMs;
}

/** Open loop: each 10 ms what is due by then, without waiting for the answers of before. */
async function steady(arm: Arm, { firstId, count, perSecond }: SteadyOptions): Promise<void> {
  const startedMs = monotonicMs();
  const answers: Promise<unknown>[] = [];
  for (let sent = 0; sent < count; await pause(10)) {
    const due = Math.min(count, Math.floor(((monotonicMs() - startedMs) * perSecond) / 1_000));
    if (due > sent) answers.push(arm(idsFrom(firstId + sent, due - sent)));
    sent = due;
  }
  await Promise.all(answers);
}

const armOf = (name: string) => {
  const arm = targets.get(name);
  if (!arm) throw new Error(`${name} was not opened`);
  return arm;
};

serveCalls({
  open: async ({ name, ...target }: TimerTarget & { name: string }) => {
    targets.set(name, await openers[target.kind](target));
  },
  bulk: ({ name, ...options }: BulkOptions & { name: string }) => bulk(armOf(name), options),
  steady: ({ name, ...options }: SteadyOptions & { name: string }) => steady(armOf(name), options),
});
