import { setTimeout as pause } from 'node:timers/promises';
import { createKey } from './create-key';
import { type KeyUse, type LoadedKey, loadKey } from './key-material';
import type { KeyStore } from './keys.ports';

/** Two keys are valid at once: the one that signs now and the one before it. */
export const keysValidAtOnce = 2;
/**
 * From this age, in milliseconds, a request that uses the set also reads it again. It determines how soon a rotation is noticed.
 */
const staleAfterMs = 5_000;
/** Least time between two reads for unknown key ids, in milliseconds, so that invented ids cost at most five queries a second. */
const rereadIntervalMinMs = 200;

/** The keys of one use in memory. The first one is created when it is first needed. */
export class RotatingKeys {
  private keys: LoadedKey[] = [];
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly store: KeyStore,
    private readonly use: KeyUse,
  ) {}

  /** The key to sign with. */
  async current(): Promise<LoadedKey> {
    return (await this.all())[0]!;
  }

  /** Every valid key, newest first. */
  async all(): Promise<LoadedKey[]> {
    if (this.keys.length === 0) await this.reread();
    // The known keys may be used while the store does not answer: authorize fails closed on its own reads.
    else if (performance.now() - this.readAt > staleAfterMs) void this.reread().catch(() => undefined);
    return this.keys;
  }

  /** The key with that id. For an unknown id it reads the store, because another replica may sign with a new key. */
  async find(kid: string): Promise<LoadedKey | undefined> {
    const known = (await this.all()).find(key => key.kid === kid);
    if (known) return known;
    await this.reread();
    return this.keys.find(key => key.kid === kid);
  }

  /** Every valid key as the store has it now; from memory when the store does not answer. */
  async fresh(): Promise<LoadedKey[]> {
    await this.reread().catch(error => {
      if (this.keys.length === 0) throw error;
    });
    return this.keys;
  }

  /** Reads the store again; one read at a time serves all waiting callers. */
  reread(): Promise<void> {
    return (this.reading ??= this.read().finally(() => (this.reading = undefined)));
  }

  private async read(): Promise<void> {
    const waitMs = this.readAt + rereadIntervalMinMs - performance.now();
    if (waitMs > 0) await pause(waitMs);
    this.readAt = performance.now();
    let stored = await this.store.newest(this.use, keysValidAtOnce);
    if (stored.length === 0) {
      await this.store.addFirst(this.use, await createKey[this.use]());
      stored = await this.store.newest(this.use, keysValidAtOnce);
    }
    this.keys = stored.map(loadKey);
  }
}
