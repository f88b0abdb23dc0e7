import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '@paycode/service-runtime';
import type { Origin } from '../audit/security-log';
import { createKey, type KeyUse, type LoadedKey, loadKey } from './key-material';
import type { KeyStore, RotationRule } from './key.store';

/** Two keys are valid at once: the one that signs now and the one before it. */
const keysValidAtOnce = 2;
/** From this age, in milliseconds, a request that uses the set also reads it again. It determines how soon a rotation is noticed. */
const staleAfterMs = 5_000;
/** Least time between two reads for unknown key ids, in milliseconds, so that invented ids cost at most five queries a second. */
const rereadIntervalMinMs = 200;

/** The keys of one use in memory. The first one is created when it is first needed. */
class RotatingKeys {
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

/** Ids of the keys that sign now. */
export interface SigningKeyIds {
  access: string;
  identity: string;
}

/** Another replica may sign with the previous key for this long, and its clock may be ahead by as much, in milliseconds. */
const replicasMs = 10_000;

/** All keys of auth-session, shared by its replicas through the database. */
export class ServiceKeys {
  readonly access: RotatingKeys;
  readonly identity: RotatingKeys;
  readonly challenge: RotatingKeys;
  readonly decoySecret: RotatingKeys;

  /** `signedForMs`: longest validity of a token that a signing key signs. */
  constructor(
    private readonly store: KeyStore,
    private readonly signedForMs: number,
  ) {
    this.access = new RotatingKeys(store, 'ACCESS');
    this.identity = new RotatingKeys(store, 'IDENTITY');
    this.challenge = new RotatingKeys(store, 'CHALLENGE');
    this.decoySecret = new RotatingKeys(store, 'DECOY_SECRET');
  }

  /**
   * Makes new signing keys; the previous ones still verify. The challenge key stays, because clients got its public half out of band (5.3).
   * @throws DomainError 409 while there may be valid tokens of a key that the rotation would drop, because their sessions would end
   */
  async rotateSigningKeys(origin: Origin): Promise<SigningKeyIds> {
    const possibleAt = await this.rotate({ keep: keysValidAtOnce, droppedAfterMs: this.signedForMs + replicasMs }, origin);
    if (possibleAt === null) return this.signingKeyIds();
    throw new DomainError({
      status: 409,
      reason: 'ROTATED_RECENTLY',
      message: `two signing keys are valid at once, and live tokens need both of them until ${possibleAt.toISOString()}: rotate then, or end every session with "keys replace"`,
    });
  }

  /** Makes new signing keys and drops all others: tokens signed with a stolen key become invalid, and every session ends. */
  async replaceSigningKeys(origin: Origin): Promise<SigningKeyIds> {
    await this.rotate({ keep: 1, droppedAfterMs: 0 }, origin);
    return this.signingKeyIds();
  }

  private async rotate(rule: RotationRule, origin: Origin): Promise<Date | null> {
    const keys = [
      { use: 'ACCESS', jwk: await createKey.ACCESS() },
      { use: 'IDENTITY', jwk: await createKey.IDENTITY() },
    ] as const;
    return this.store.rotate([...keys], rule, origin);
  }

  private async signingKeyIds(): Promise<SigningKeyIds> {
    await Promise.all([this.access.reread(), this.identity.reread()]);
    return { access: (await this.access.current()).kid, identity: (await this.identity.current()).kid };
  }
}
