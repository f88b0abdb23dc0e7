import { setTimeout as pause } from 'node:timers/promises';
import { createKey } from './create-key';
import { type KeyUse, type LoadedKey, loadKey } from './key-material';
import type { KeyStore } from './keys.ports';

/** Valid at once: the key that signs now and the one before it. */
export const keysValidAtOnce = 2;
/** From this age the set is read again beside the request that finds it old, in milliseconds: how soon a rotation is noticed. */
const staleAfterMs = 5_000;
/** Least time between two reads for unknown key ids, in milliseconds: made-up ids cost at most five queries a second. */
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
    // Serving the known keys is right when the store is away: authorize fails closed on its own reads.
    else if (performance.now() - this.readAt > staleAfterMs) void this.reread().catch(() => undefined);
    return this.keys;
  }

  /** The key of that id. An unknown id may be a new key that another replica signs with: the store is asked. */
  async find(kid: string): Promise<LoadedKey | undefined> {
    const known = (await this.all()).find(key => key.kid === kid);
    if (known) return known;
    await this.reread();
    return this.keys.find(key => key.kid === kid);
  }

  /** Every valid key as the store has it now; from memory when the store is away. */
  async fresh(): Promise<LoadedKey[]> {
    await this.reread().catch(error => {
      if (this.keys.length === 0) throw error;
    });
    return this.keys;
  }

  /** Reads the store again; one read at a time, shared by all who wait for it. */
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
