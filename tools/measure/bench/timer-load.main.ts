/** Load generator of the timers benchmark in a process of its own: it arms through the scheduler as the dispatcher does. */
import { setTimeout as pause } from 'node:timers/promises';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { serveCalls } from './child-processes.ts';
import { monotonicMs } from './meters.ts';

export interface TimerTarget {
  /** Internal base URL of the scheduler. */
  url: string;
  /** Key files of the dispatcher, in whose name the scheduler is asked. */
  signerFiles: { privateKeyFile: string; servicePublicKeysFile: string };
}

export interface TimerLoad {
  firstId: number;
  count: number;
}

const bulkBatch = 500;
const bulkCallers = 4;

let client: InternalClient;

function arm(firstId: number, count: number): Promise<unknown> {
  const jobs = Array.from({ length: count }, (_, at) => ({ transactionId: firstId + at, merchantId: 1_001, attempt: 1 }));
  return client.post('/internal/reversals/arm', jobs);
}

/** As fast as possible, in large batches; the time it took. */
async function bulk({ firstId, count }: TimerLoad): Promise<number> {
  const startedMs = monotonicMs();
  let next = 0;
  const loop = async (): Promise<void> => {
    for (let at = next; at < count; at = next) {
      next += bulkBatch;
      await arm(firstId + at, Math.min(bulkBatch, count - at));
    }
  };
  await Promise.all(Array.from({ length: bulkCallers }, loop));
  return monotonicMs() - startedMs;
}

/** Open loop: each 10 ms what is due by then, without waiting for the answers of before. */
async function steady({ firstId, count, perSecond }: TimerLoad & { perSecond: number }): Promise<void> {
  const startedMs = monotonicMs();
  const answers: Promise<unknown>[] = [];
  for (let sent = 0; sent < count; await pause(10)) {
    const due = Math.min(count, Math.floor(((monotonicMs() - startedMs) * perSecond) / 1_000));
    if (due > sent) answers.push(arm(firstId + sent, due - sent));
    sent = due;
  }
  await Promise.all(answers);
}

serveCalls({
  open: ({ url, signerFiles }: TimerTarget) => {
    const signer = new ServiceTokenSigner('webhook-dispatcher', signerFiles);
    client = new InternalClient({ baseUrl: url, audience: 'reversal-scheduler', signer, timeoutMs: 30_000 });
  },
  bulk,
  steady,
});
