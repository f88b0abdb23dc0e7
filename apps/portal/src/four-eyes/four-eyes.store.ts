import { Injectable } from '@nestjs/common';
import type { ReadsIn } from '@paycode/dto/people';
import { DataSource, type EntityManager } from 'typeorm';
import type { Person, Role } from '../people/domain/person';
import type { Asked, Kind, Refusal, State } from './domain/request';

export type Tenant = Pick<Person, 'tenantType' | 'tenantId'>;

export interface StoredRequest extends Asked {
  requestId: string;
  kind: Kind;
  askedByName: string;
  askedAt: Date;
  endedByName: string | null;
  endedAt: Date | null;
  /** The subject of the request, where kind and tenant do not identify it. */
  about: string | null;
}

/** A request with what decides about it, read together. */
export interface KnownRequest {
  request: StoredRequest;
  asker: { role: Role; isOfTenant: boolean };
  /** By the database's clock, as every instant here. */
  now: Date;
}

export interface Wanted {
  kind: Kind;
  asker: Person;
  fingerprint: string;
  about: string | null;
  openForS: number;
}

/** A person who has the role, and a password to confirm with. */
export interface Owner extends ReadsIn {
  personId: string;
  name: string;
  email: string;
  joinedAt: Date;
}

export type Verdict = { state: State; refusal: Refusal | null };

const request = `r.request_id as "requestId", r.kind, r.state, r.asked_by as "askedBy", r.asked_by_name as "askedByName", r.asked_at as "askedAt",
  r.expires_at as "expiresAt", r.fingerprint, r.ended_by_name as "endedByName", r.ended_at as "endedAt", r.about`;
const found = `select ${request}, a.role as "askerRole", (a.tenant_type, a.tenant_id) = (r.tenant_type, r.tenant_id) as "isOfTenant",
  clock_timestamp() as now
  from four_eyes_request r join person a on a.person_id = r.asked_by`;

const fourEyesSql = {
  owners: `
    select person_id as "personId", name, email, language, time_zone as "timeZone",
           greatest(coalesce(accepted_at, clock_timestamp()), role_changed_at) as "joinedAt" from person
     where tenant_type = $1 and tenant_id = $2 and role = any($3::text[]) and password_hash is not null order by name limit 50`,
  latest: `${found} where r.kind = $1 and r.tenant_type = $2 and r.tenant_id = $3`,
  // The lock on the request lets one of two steps pass; the one on the asker holds its role until the step is kept.
  lockLatest: `${found} where r.kind = $1 and r.tenant_type = $2 and r.tenant_id = $3 for update of r for share of a`,
  lock: `${found} where r.request_id = $1 and r.tenant_type = $2 and r.tenant_id = $3 for update of r for share of a`,
  // A person with another role counts as new from then on.
  joinedAt: `select greatest(coalesce(accepted_at, clock_timestamp()), role_changed_at) as "joinedAt" from person where person_id = $1`,
  // The clause on the one that was seen: two who ask at once, where nobody has asked before, make one request.
  put: `
    insert into four_eyes_request as r (kind, tenant_type, tenant_id, asked_by, asked_by_name, fingerprint, about, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + $8 * interval '1 second')
    on conflict (kind, tenant_type, tenant_id) do update
      set request_id = gen_random_uuid(), asked_by = excluded.asked_by, asked_by_name = excluded.asked_by_name, fingerprint = excluded.fingerprint,
          about = excluded.about, asked_at = excluded.asked_at, expires_at = excluded.expires_at, state = 'OPEN', ended_by_name = null, ended_at = null
      where r.request_id = $9::uuid
    returning ${request}`,
  end: `
    update four_eyes_request r set state = $2, ended_by_name = $3, ended_at = clock_timestamp() where request_id = $1 returning ${request}`,
} as const;

type FoundRow = StoredRequest & { askerRole: Role; isOfTenant: boolean; now: Date };
type Decide = (found: KnownRequest, by: { personId: string; joinedAt: Date }) => Verdict;

/** One request for each kind and tenant: the next takes the place of one that has ended. */
@Injectable()
export class FourEyesStore {
  constructor(private readonly dataSource: DataSource) {}

  owners({ tenantType, tenantId }: Tenant, roles: readonly Role[]): Promise<Owner[]> {
    return this.dataSource.query(fourEyesSql.owners, [tenantType, tenantId, roles]);
  }

  async latest(kind: Kind, { tenantType, tenantId }: Tenant): Promise<KnownRequest | undefined> {
    const [row] = await this.dataSource.query<FoundRow[]>(fourEyesSql.latest, [kind, tenantType, tenantId]);
    return row && foundIn(row);
  }

  /** undefined: `isOpen` says that the one before is, or another one came first. */
  ask(
    { kind, asker, fingerprint, about, openForS }: Wanted,
    isOpen: (found: KnownRequest) => boolean,
  ): Promise<StoredRequest | undefined> {
    const { tenantType, tenantId, personId, name } = asker;
    return this.dataSource.transaction(async manager => {
      const [row] = await manager.query<FoundRow[]>(fourEyesSql.lockLatest, [kind, tenantType, tenantId]);
      if (row && isOpen(foundIn(row))) return undefined;
      const values = [kind, tenantType, tenantId, personId, name, fingerprint, about, openForS, row?.requestId ?? null];
      return (await manager.query<StoredRequest[]>(fourEyesSql.put, values))[0];
    });
  }

  /** One at a time for each request; what it becomes is kept. undefined: this tenant has no such request. */
  end(requestId: string, by: Person, decide: Decide): Promise<{ request: StoredRequest; verdict: Verdict } | undefined> {
    return this.dataSource.transaction(async manager => {
      const [row] = await manager.query<FoundRow[]>(fourEyesSql.lock, [requestId, by.tenantType, by.tenantId]);
      if (!row) return undefined;
      const found = foundIn(row);
      const verdict = decide(found, { personId: by.personId, joinedAt: await joinedAtOf(by, manager) });
      if (verdict.state === found.request.state) return { request: found.request, verdict };
      // Of what died of itself nobody is the end.
      const values = [requestId, verdict.state, verdict.refusal === null ? by.name : null];
      const [rows] = await manager.query<[StoredRequest[], number]>(fourEyesSql.end, values);
      return { request: rows[0]!, verdict };
    });
  }
}

async function joinedAtOf({ personId }: Person, manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<{ joinedAt: Date }[]>(fourEyesSql.joinedAt, [personId]);
  if (!row) throw new Error(`person ${personId} of a session is gone`);
  return row.joinedAt;
}

function foundIn({ askerRole, isOfTenant, now, ...request }: FoundRow): KnownRequest {
  return { request, now, asker: { role: askerRole, isOfTenant } };
}
