import { Injectable } from '@nestjs/common';
import type { Origin } from '../audit';
import { createKey } from './create-key';
import { KeyStore } from './keys.ports';
import { keysValidAtOnce, RotatingKeys } from './rotating-keys';

/** All keys of auth-session, shared by its replicas through the database. */
@Injectable()
export class ServiceKeys {
  readonly access: RotatingKeys;
  readonly identity: RotatingKeys;
  readonly challenge: RotatingKeys;
  readonly decoySecret: RotatingKeys;

  constructor(private readonly store: KeyStore) {
    this.access = new RotatingKeys(store, 'ACCESS');
    this.identity = new RotatingKeys(store, 'IDENTITY');
    this.challenge = new RotatingKeys(store, 'CHALLENGE');
    this.decoySecret = new RotatingKeys(store, 'DECOY_SECRET');
  }

  /**
   * New signing keys; the previous ones still verify. The challenge key stays: clients hold its public half, given out of band (5.3).
   */
  async rotateSigningKeys(origin: Origin): Promise<{ access: string; identity: string }> {
    const keys = [
      { use: 'ACCESS', jwk: await createKey.ACCESS() },
      { use: 'IDENTITY', jwk: await createKey.IDENTITY() },
    ] as const;
    await this.store.rotate([...keys], keysValidAtOnce, origin);
    await Promise.all([this.access.reread(), this.identity.reread()]);
    return { access: (await this.access.current()).kid, identity: (await this.identity.current()).kid };
  }
}
