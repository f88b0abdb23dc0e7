import { type JsonWebKey, randomUUID } from 'node:crypto';
import { PayloadSealer } from '@paycode/crypto';
import { DataSource, type EntityManager } from 'typeorm';
import type { Clock } from '@paycode/timing';
import { insertSecurityEvent, type Origin } from '../../audit';
import type { KeyUse, StoredKey } from '../key-material';
import { KeyStore, type RotationRule } from '../keys.ports';
import { SigningKeyEntity } from './signing-key.entity';
import { signingKeySql as sql } from './signing-key.sql';

type KeyRow = Pick<SigningKeyEntity, 'kid' | 'use' | 'sealed'>;

export interface KeyStoreParts {
  dataSource: DataSource;
  sealer: PayloadSealer;
  clock: Clock;
}

/** Keys in the database, each sealed under a key-encryption key together with its id and use: rows cannot be swapped. */
export class PostgresKeyStore extends KeyStore {
  constructor(private readonly parts: KeyStoreParts) {
    super();
  }

  async newest(use: KeyUse, count: number): Promise<StoredKey[]> {
    const order = { createdAt: 'DESC', kid: 'ASC' } as const;
    const rows = await this.parts.dataSource.manager.find(SigningKeyEntity, { where: { use }, order, take: count });
    return rows.map(row => this.open(row));
  }

  addFirst(use: KeyUse, jwk: JsonWebKey): Promise<void> {
    return this.exclusively(async manager => {
      if (!(await manager.existsBy(SigningKeyEntity, { use }))) await this.insert(manager, { use, jwk });
    });
  }

  rotate(keys: { use: KeyUse; jwk: JsonWebKey }[], { keep, droppedAfterMs }: RotationRule, origin: Origin): Promise<Date | null> {
    return this.exclusively(async manager => {
      const newestAt = await newestOfFull(manager, { uses: keys.map(key => key.use), keep });
      if (newestAt !== null && newestAt + droppedAfterMs > this.parts.clock.epochMs()) return new Date(newestAt + droppedAfterMs);
      for (const key of keys) {
        await this.insert(manager, key);
        await manager.query(sql.dropAllButNewest, [key.use, keep]);
      }
      await this.resealAll(manager);
      const detail = keys.map(key => key.use).join(' ');
      await insertSecurityEvent(manager, { kind: 'KEYS_ROTATED', subject: null, origin, detail }, this.now());
      return null;
    });
  }

  /**
   * Seals all keys again. Otherwise keys that never rotate (the challenge key) would still need a key-encryption key that
   * is to be retired.
   */
  private async resealAll(manager: EntityManager): Promise<void> {
    for (const row of await manager.find(SigningKeyEntity)) {
      const sealed = this.parts.sealer.seal(JSON.stringify(this.open(row)));
      await manager.update(SigningKeyEntity, { kid: row.kid }, { sealed });
    }
  }

  /** Serialises writers of keys, so that two replicas that start together agree on one first key. */
  private exclusively<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.parts.dataSource.transaction(async manager => {
      await manager.query(sql.lock);
      return work(manager);
    });
  }

  private async insert(manager: EntityManager, { use, jwk }: { use: KeyUse; jwk: JsonWebKey }): Promise<void> {
    const kid = randomUUID();
    const sealed = this.parts.sealer.seal(JSON.stringify({ kid, use, jwk }));
    await manager.query(sql.insert, [kid, use, sealed, this.now()]);
  }

  private now(): Date {
    return new Date(this.parts.clock.epochMs());
  }

  private open(row: KeyRow): StoredKey {
    const key = JSON.parse(this.parts.sealer.openText(row.sealed)) as StoredKey;
    if (key.kid !== row.kid || key.use !== row.use) throw new Error(`signing key ${row.kid} is not what its row says`);
    return key;
  }
}

/**
 * Time of the newest key, in epoch milliseconds, among the uses that have `keep` keys already, where one more key drops the oldest.
 */
async function newestOfFull(manager: EntityManager, { uses, keep }: { uses: KeyUse[]; keep: number }): Promise<number | null> {
  const [{ at }] = await manager.query<[{ at: Date | null }]>(sql.newestOfFull, [uses, keep]);
  return at && at.getTime();
}
