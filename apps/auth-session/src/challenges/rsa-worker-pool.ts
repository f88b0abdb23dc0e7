import type { KeyObject } from 'node:crypto';
import { Piscina } from 'piscina';
import { gauge } from '@paycode/service-runtime/metrics';
import { tooManyTries } from '../guessing/guess-limiter';

const depth = gauge('paycode_auth_session_rsa_tasks', 'RSA tasks running or waiting.');
/** Idle threads end after this long, in milliseconds: logins come in bursts, and idle threads would keep their memory. */
const idleTimeoutMs = 60_000;
/** `Retry-After` when the queue is full, in seconds. */
const retryAfterS = 1;

interface RsaWorkerPoolOptions {
  workerFile: string;
  workers: number;
  /** Tasks that may wait. */
  queueMax: number;
}

interface WorkSlotLimits {
  /** Slots in all. */
  slots: number;
  /** Slots one owner may hold at once. */
  perOwner: number;
}

/** Slots for bounded work, divided so that one owner cannot take all of them. */
export class WorkSlots {
  private taken = 0;
  private readonly byOwner = new Map<string, number>();

  constructor(private readonly limits: WorkSlotLimits) {}

  /** Whether the owner got a slot, which it must then release. */
  take(owner: string): boolean {
    const own = this.byOwner.get(owner) ?? 0;
    if (this.taken >= this.limits.slots || own >= this.limits.perOwner) return false;
    this.taken += 1;
    this.byOwner.set(owner, own + 1);
    return true;
  }

  release(owner: string): void {
    const own = this.byOwner.get(owner);
    if (own === undefined) throw new Error('release of a slot that was not taken');
    this.taken -= 1;
    if (own === 1) this.byOwner.delete(owner);
    else this.byOwner.set(owner, own - 1);
  }
}

/** A new challenge to a client: 64 random bytes, which never leave the worker thread. */
interface FreshChallenge {
  encrypted: Buffer;
  /** SHA-256 of the plaintext. */
  responseHash: Buffer;
}

/**
 * RSA work outside the event loop: a small pool of threads. One address gets at most half of its slots. Rejects with DomainError 429 when
 * the queue is full (T-02).
 */
export class RsaWorkerPool {
  private readonly pool: Piscina;
  private readonly slots: WorkSlots;

  constructor({ workerFile, workers, queueMax }: RsaWorkerPoolOptions) {
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

  /** base64(SHA-256(plaintext)) of a client challenge; null for every ciphertext that does not decrypt to 64 bytes (T-01). */
  prove(privateKey: KeyObject, ciphertext: Buffer, address: string): Promise<string | null> {
    return this.run(address, () => this.pool.run({ privateKey, ciphertext }, { name: 'prove' }));
  }

  /** `publicKey`: base64 of an X.509 RSA-4096 key that was accepted before. */
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
