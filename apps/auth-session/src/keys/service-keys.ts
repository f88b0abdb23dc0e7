import { DomainError } from '@paycode/service-runtime';
import type { Origin } from '../audit';
import { createKey } from './create-key';
import type { KeyStore, RotationRule } from './keys.ports';
import { keysValidAtOnce, RotatingKeys } from './rotating-keys';

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
   * Makes new signing keys; the previous ones still verify. The challenge key stays, because clients got its public half out of band
   * (5.3).
   * @throws DomainError 409 while there may be valid tokens of a key that the rotation would drop, because their sessions would
   * end
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
