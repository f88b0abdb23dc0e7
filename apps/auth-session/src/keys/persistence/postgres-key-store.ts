import { type JsonWebKey, randomUUID } from 'node:crypto';
import { PayloadSealer } from '@paycode/crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { insertSecurityEvent, type Origin } from '../../audit';
import type { Clock } from '../../clock';
import type { KeyUse, StoredKey } from '../key-material';
import { KeyStore } from '../keys.ports';

interface KeyRow {
  kid: string;
  use: KeyUse;
  sealed: string;
}

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
    const sql = 'select kid, use, sealed from signing_key where use = $1 order by created_at desc, kid limit $2';
    const rows = await this.parts.dataSource.query<KeyRow[]>(sql, [use, count]);
    return rows.map(row => this.open(row));
  }

  addFirst(use: KeyUse, jwk: JsonWebKey): Promise<void> {
    return this.exclusively(async manager => {
      const existing = await manager.query<unknown[]>('select 1 from signing_key where use = $1 limit 1', [use]);
      if (existing.length === 0) await this.insert(manager, { use, jwk });
    });
  }

  rotate(keys: { use: KeyUse; jwk: JsonWebKey }[], keep: number, origin: Origin): Promise<void> {
    return this.exclusively(async manager => {
      for (const key of keys) {
        await this.insert(manager, key);
        await manager.query(
          `delete from signing_key where use = $1
           and kid not in (select kid from signing_key where use = $1 order by created_at desc, kid limit $2)`,
          [key.use, keep],
        );
      }
      await this.resealAll(manager);
      const detail = keys.map(key => key.use).join(' ');
      await insertSecurityEvent(manager, { kind: 'KEYS_ROTATED', subject: null, origin, detail }, this.now());
    });
  }

  /** Keys that never rotate (the challenge key) would otherwise hold on to a key-encryption key that is to be retired. */
  private async resealAll(manager: EntityManager): Promise<void> {
    for (const row of await manager.query<KeyRow[]>('select kid, use, sealed from signing_key')) {
      const sealed = this.parts.sealer.seal(JSON.stringify(this.open(row)));
      await manager.query('update signing_key set sealed = $2 where kid = $1', [row.kid, sealed]);
    }
  }

  /** Writers of keys follow each other: two replicas that start together agree on one first key. */
  private exclusively(work: (manager: EntityManager) => Promise<void>): Promise<void> {
    return this.parts.dataSource.transaction(async manager => {
      await manager.query('lock table signing_key in share row exclusive mode');
      await work(manager);
    });
  }

  private async insert(manager: EntityManager, { use, jwk }: { use: KeyUse; jwk: JsonWebKey }): Promise<void> {
    const kid = randomUUID();
    const sealed = this.parts.sealer.seal(JSON.stringify({ kid, use, jwk }));
    // Under the lock a new key is always the newest, also when two rotations fall into one millisecond.
    await manager.query(
      `insert into signing_key (kid, use, sealed, created_at)
       select $1, $2, $3, greatest($4::timestamptz, max(created_at) + interval '1 microsecond') from signing_key where use = $2`,
      [kid, use, sealed, this.now()],
    );
  }

  private now(): Date {
    return new Date(this.parts.clock.nowMs());
  }

  private open(row: KeyRow): StoredKey {
    const key = JSON.parse(this.parts.sealer.openText(row.sealed)) as StoredKey;
    if (key.kid !== row.kid || key.use !== row.use) throw new Error(`signing key ${row.kid} is not what its row says`);
    return key;
  }
}
