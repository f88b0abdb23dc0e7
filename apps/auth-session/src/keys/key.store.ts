import { type JsonWebKey, randomUUID } from 'node:crypto';
import { PayloadSealer } from '@paycode/crypto';
import { DataSource, type EntityManager } from 'typeorm';
import type { Clock } from '@paycode/service-runtime/timing';
import { insertSecurityEvent } from '../audit/postgres-security-log.store';
import type { Origin } from '../audit/security-log';
import { SigningKeyEntity } from '../entities';
import type { KeyUse, StoredKey } from './key-material';

const signingKeySql = {
  // Serialises writers of keys; readers do not wait.
  lock: 'lock table signing_key in share row exclusive mode',

  // Under the lock a new key is always the newest, even when two rotations happen in one millisecond.
  insert: `
    insert into signing_key (kid, use, sealed, created_at)
    select $1, $2, $3, greatest($4::timestamptz, max(created_at) + interval '1 microsecond') from signing_key where use = $2`,

  dropAllButNewest: `
    delete from signing_key where use = $1
    and kid not in (select kid from signing_key where use = $1 order by created_at desc, kid limit $2)`,

  newestOfFull: `
    select max(newest) as at from (
      select max(created_at) as newest from signing_key where use = any($1) group by use having count(*) >= $2) as full_uses`,
} as const;

export interface RotationRule {
  /** Number of keys of a use that verify after the rotation, the new one included. */
  keep: number;
  /** A key may be needed for this long after its successor was made, in milliseconds. */
  droppedAfterMs: number;
}

type KeyRow = Pick<SigningKeyEntity, 'kid' | 'use' | 'sealed'>;

/** Keys in the database, each sealed under a key-encryption key together with its id and use: rows cannot be swapped. */
export class KeyStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealer: PayloadSealer,
    private readonly clock: Clock,
  ) {}

  /** The newest `count` keys of a use, newest first. */
  async newest(use: KeyUse, count: number): Promise<StoredKey[]> {
    const order = { createdAt: 'DESC', kid: 'ASC' } as const;
    const rows = await this.dataSource.manager.find(SigningKeyEntity, { where: { use }, order, take: count });
    return rows.map(row => this.open(row));
  }

  /** Adds a key unless the use has one already (another replica was first). */
  addFirst(use: KeyUse, jwk: JsonWebKey): Promise<void> {
    return this.exclusively(async manager => {
      if (!(await manager.existsBy(SigningKeyEntity, { use }))) await this.insert(manager, { use, jwk });
    });
  }

  /**
   * Adds new keys in front, drops all but `keep` of each use, seals the rest under the current key-encryption key, and writes the security
   * event, in one transaction. When it would drop a key whose successor is younger than `droppedAfterMs`, it does nothing and returns the
   * instant from which it is possible.
   */
  rotate(keys: { use: KeyUse; jwk: JsonWebKey }[], { keep, droppedAfterMs }: RotationRule, origin: Origin): Promise<Date | null> {
    return this.exclusively(async manager => {
      const newestAt = await newestOfFull(manager, { uses: keys.map(key => key.use), keep });
      if (newestAt !== null && newestAt + droppedAfterMs > this.clock.epochMs()) return new Date(newestAt + droppedAfterMs);
      for (const key of keys) {
        await this.insert(manager, key);
        await manager.query(signingKeySql.dropAllButNewest, [key.use, keep]);
      }
      await this.resealAll(manager);
      const detail = keys.map(key => key.use).join(' ');
      await insertSecurityEvent(manager, { kind: 'KEYS_ROTATED', subject: null, origin, detail }, this.now());
      return null;
    });
  }

  /** Seals all keys again. Otherwise keys that never rotate (the challenge key) would still need a key-encryption key that is to be retired. */
  private async resealAll(manager: EntityManager): Promise<void> {
    for (const row of await manager.find(SigningKeyEntity)) {
      const sealed = this.sealer.seal(JSON.stringify(this.open(row)));
      await manager.update(SigningKeyEntity, { kid: row.kid }, { sealed });
    }
  }

  /** Serialises writers of keys, so that two replicas that start together agree on one first key. */
  private exclusively<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(async manager => {
      await manager.query(signingKeySql.lock);
      return work(manager);
    });
  }

  private async insert(manager: EntityManager, { use, jwk }: { use: KeyUse; jwk: JsonWebKey }): Promise<void> {
    const kid = randomUUID();
    const sealed = this.sealer.seal(JSON.stringify({ kid, use, jwk }));
    await manager.query(signingKeySql.insert, [kid, use, sealed, this.now()]);
  }

  private now(): Date {
    return new Date(this.clock.epochMs());
  }

  private open(row: KeyRow): StoredKey {
    const key = JSON.parse(this.sealer.openText(row.sealed)) as StoredKey;
    if (key.kid !== row.kid || key.use !== row.use) throw new Error(`signing key ${row.kid} is not what its row says`);
    return key;
  }
}

/** Time of the newest key, in epoch milliseconds, among the uses that have `keep` keys already, where one more key drops the oldest. */
async function newestOfFull(manager: EntityManager, { uses, keep }: { uses: KeyUse[]; keep: number }): Promise<number | null> {
  const [{ at }] = await manager.query<[{ at: Date | null }]>(signingKeySql.newestOfFull, [uses, keep]);
  return at && at.getTime();
}
