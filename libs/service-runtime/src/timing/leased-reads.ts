import { BoundedMap } from './bounded-map';

/** A value that may be used for this time, counted from before it was asked for; 0: for this answer only. */
export interface Lent<V> {
  value: V;
  leaseMs: number;
}

export interface LeasedReadsOptions<K, V> {
  /** One call for all the keys. A key that the answer lacks, or has an Error for, fails alone; a rejection fails them all. */
  read(keys: readonly K[]): Promise<ReadonlyMap<K, Lent<V> | Error>>;
  /** Monotonic, in milliseconds. */
  nowMs(): number;
  keysPerRead: number;
  /** Reads at the same time. More keys wait and share the next one. */
  readsMax: number;
  /** Values in memory; those that were read longest ago go first. */
  keptMax: number;
  /** How long after its lease a value is still used while a read renews it, in milliseconds. Default 0. */
  staleMs?: number;
}

interface Kept<V> {
  value: V;
  untilMs: number;
}

/**
 * Values of another service that are used under a lease. A key has one read under way, which all its callers share, and keys that come while
 * reads are under way share the next call. So a callee that is slow gets no more calls because more callers wait, or because they ask again.
 */
export class LeasedReads<K, V> {
  private readonly kept: BoundedMap<K, Kept<V>>;
  private readonly underWay = new Map<K, Promise<V>>();
  private readonly waiting = new Map<K, PromiseWithResolvers<V>>();
  private running = 0;

  constructor(private readonly options: LeasedReadsOptions<K, V>) {
    this.kept = new BoundedMap(options.keptMax);
  }

  /** The value as last read, however old. */
  last(key: K): V | undefined {
    return this.kept.get(key)?.value;
  }

  /** Every value as last read, however old. */
  *all(): Generator<[K, V]> {
    for (const [key, { value }] of this.kept) yield [key, value];
  }

  /** The value if its lease is valid now. */
  leasedNow(key: K): V | undefined {
    return this.isUsable(key, 0) ? this.last(key) : undefined;
  }

  /**
   * The value under its lease, else as it is read now. An answer that took longer than its lease is given too; where that matters, the caller
   * checks `leasedNow`. Rejects as the read does.
   */
  async current(key: K): Promise<V> {
    const value = this.valueOf(key);
    this.start();
    return value;
  }

  /** `current` of many keys, in their order. */
  settled(keys: readonly K[]): Promise<PromiseSettledResult<V>[]> {
    const values = keys.map(key => this.valueOf(key));
    // Not before, so that all keys share the call.
    this.start();
    return Promise.allSettled(values);
  }

  private valueOf(key: K): V | Promise<V> {
    if (this.isUsable(key, 0)) return this.last(key)!;
    const reading = this.underWay.get(key) ?? this.ask(key);
    if (!this.isUsable(key, this.options.staleMs ?? 0)) return reading;
    // The old value is the answer, so nobody waits for the new one.
    reading.catch(() => undefined);
    return this.last(key)!;
  }

  private ask(key: K): Promise<V> {
    const asked = Promise.withResolvers<V>();
    this.waiting.set(key, asked);
    this.underWay.set(key, asked.promise);
    return asked.promise;
  }

  private isUsable(key: K, staleMs: number): boolean {
    const kept = this.kept.get(key);
    return kept !== undefined && this.options.nowMs() < kept.untilMs + staleMs;
  }

  private start(): void {
    while (this.running < this.options.readsMax && this.waiting.size > 0) {
      const batch = new Map([...this.waiting].slice(0, this.options.keysPerRead));
      for (const key of batch.keys()) this.waiting.delete(key);
      void this.read(batch);
    }
  }

  private async read(batch: ReadonlyMap<K, PromiseWithResolvers<V>>): Promise<void> {
    this.running++;
    const askedMs = this.options.nowMs();
    const answers = await this.options.read([...batch.keys()]).catch((error: unknown) => error as Error);
    for (const [key, asked] of batch) {
      this.underWay.delete(key);
      const answer = answers instanceof Error ? answers : answers.get(key);
      if (answer === undefined || answer instanceof Error) asked.reject(answer ?? new Error('the answer lacks a key'));
      else asked.resolve(this.keep(key, answer, askedMs));
    }
    this.running--;
    this.start();
  }

  private keep(key: K, { value, leaseMs }: Lent<V>, askedMs: number): V {
    if (leaseMs > 0) this.kept.set(key, { value, untilMs: askedMs + leaseMs });
    else this.kept.delete(key);
    return value;
  }
}
