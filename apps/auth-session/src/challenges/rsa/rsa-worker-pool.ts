import type { KeyObject } from 'node:crypto';
import { Piscina } from 'piscina';
import { gauge } from '@paycode/metrics';
import { tooManyTries } from '../../guessing';
import { type FreshChallenge, RsaWorkers } from '../challenges.ports';
import { WorkSlots } from './work-slots';

const depth = gauge('paycode_auth_session_rsa_tasks', 'RSA tasks running or waiting.');
/** Idle threads end after this long, in milliseconds: logins come in bursts, and idle threads would keep their memory. */
const idleTimeoutMs = 60_000;
/** `Retry-After` when the queue is full, in seconds. */
const retryAfterS = 1;

export interface RsaWorkerPoolOptions {
  workerFile: string;
  workers: number;
  /** Tasks that may wait. */
  queueMax: number;
}

/** A small pool of threads for RSA work. One address gets at most half of its slots. */
export class RsaWorkerPool extends RsaWorkers {
  private readonly pool: Piscina;
  private readonly slots: WorkSlots;

  constructor({ workerFile, workers, queueMax }: RsaWorkerPoolOptions) {
    super();
    const slots = workers + queueMax;
    this.slots = new WorkSlots({ slots, perOwner: Math.max(1, Math.floor(slots / 2)) });
    this.pool = new Piscina({
      filename: workerFile,
      minThreads: 0,
      maxThreads: workers,
      maxQueue: slots,
      idleTimeout: idleTimeoutMs,
    });
  }

  prove(privateKey: KeyObject, ciphertext: Buffer, address: string): Promise<string | null> {
    return this.run(address, () => this.pool.run({ privateKey, ciphertext }, { name: 'prove' }));
  }

  async challenge(publicKey: string, address: string): Promise<FreshChallenge> {
    const made = await this.run<{ encrypted: Uint8Array; responseHash: Uint8Array }>(address, () =>
      this.pool.run({ publicKey }, { name: 'challenge' }),
    );
    return { encrypted: Buffer.from(made.encrypted), responseHash: Buffer.from(made.responseHash) };
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    if (!this.slots.take(address)) throw tooManyTries(retryAfterS);
    depth.inc();
    try {
      return await work();
    } finally {
      depth.dec();
      this.slots.release(address);
    }
  }
}
