import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Person, Role } from '../../people/domain/person';
import type { Kind } from '../domain/request';
import {
  FourEyesStore,
  type KnownRequest,
  type Owner,
  type StoredRequest,
  type Tenant,
  type Verdict,
  type Wanted,
} from '../four-eyes.ports';
import { fourEyesSql as sql } from './four-eyes.sql';

type FoundRow = StoredRequest & { askerRole: Role; isOfTenant: boolean; now: Date };
type Decide = Parameters<FourEyesStore['end']>[2];

@Injectable()
export class PostgresFourEyesStore extends FourEyesStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override owners({ tenantType, tenantId }: Tenant, roles: readonly Role[]): Promise<Owner[]> {
    return this.dataSource.query(sql.owners, [tenantType, tenantId, roles]);
  }

  override async latest(kind: Kind, { tenantType, tenantId }: Tenant): Promise<KnownRequest | undefined> {
    const [row] = await this.dataSource.query<FoundRow[]>(sql.latest, [kind, tenantType, tenantId]);
    return row && foundIn(row);
  }

  override ask(
    { kind, asker, fingerprint, about, openForS }: Wanted,
    isOpen: (found: KnownRequest) => boolean,
  ): Promise<StoredRequest | undefined> {
    const { tenantType, tenantId, personId, name } = asker;
    return this.dataSource.transaction(async manager => {
      const [row] = await manager.query<FoundRow[]>(sql.lockLatest, [kind, tenantType, tenantId]);
      if (row && isOpen(foundIn(row))) return undefined;
      const values = [kind, tenantType, tenantId, personId, name, fingerprint, about, openForS, row?.requestId ?? null];
      return (await manager.query<StoredRequest[]>(sql.put, values))[0];
    });
  }

  override end(requestId: string, by: Person, decide: Decide): Promise<{ request: StoredRequest; verdict: Verdict } | undefined> {
    return this.dataSource.transaction(async manager => {
      const [row] = await manager.query<FoundRow[]>(sql.lock, [requestId, by.tenantType, by.tenantId]);
      if (!row) return undefined;
      const found = foundIn(row);
      const verdict = decide(found, { personId: by.personId, joinedAt: await joinedAtOf(by, manager) });
      if (verdict.state === found.request.state) return { request: found.request, verdict };
      // Of what died of itself nobody is the end.
      const values = [requestId, verdict.state, verdict.refusal === null ? by.name : null];
      const [rows] = await manager.query<[StoredRequest[], number]>(sql.end, values);
      return { request: rows[0]!, verdict };
    });
  }
}

async function joinedAtOf({ personId }: Person, manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<{ joinedAt: Date }[]>(sql.joinedAt, [personId]);
  if (!row) throw new Error(`person ${personId} of a session is gone`);
  return row.joinedAt;
}

function foundIn({ askerRole, isOfTenant, now, ...request }: FoundRow): KnownRequest {
  return { request, now, asker: { role: askerRole, isOfTenant } };
}
