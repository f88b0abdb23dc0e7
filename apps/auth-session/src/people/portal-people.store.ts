import { hash } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ActingPerson, InvitedPerson } from '@paycode/access';
import type { Addressee, OwnersRequest } from '@paycode/dto';
import { actorOf } from '@paycode/dto/people';
import { openDataSource, type ServiceDatabaseOptions } from '@paycode/persistence';
import { DomainError } from '@paycode/service-runtime';
import type { DataSource } from 'typeorm';

/** These statements read the portal's tables, whose migrations grant the role of auth-session these columns (`reader` there). */
const portalPeopleSql = {
  session: `
    select s.session_id as "sessionId", p.person_id as "personId", p.email, p.name, p.role,
           p.tenant_type as "tenantType", p.tenant_id as "tenantId"
      from portal_session s join person p using (person_id)
     where s.token_hash = $1 and s.stage = 'FULL' and s.ended_at is null
       and s.expires_at > clock_timestamp() and s.seen_at > clock_timestamp() - $2 * interval '1 second'`,
  invitation: `
    select i.invitation_id as "invitationId", i.expires_at as "expiresAt", p.email, p.language, p.time_zone as "timeZone",
           p.tenant_type as "tenantType", p.tenant_id as "tenantId"
      from invitation i join person p using (person_id)
     where i.token_hash = $1 and i.used_at is null and i.expires_at > clock_timestamp()`,
  // The role reads the address of a person alone; what the alert says is the portal's.
  alert: `
    select a.alert_id as "invitationId", a.created_at + interval '1 day' as "expiresAt", p.email, p.language, p.time_zone as "timeZone",
           p.tenant_type as "tenantType", p.tenant_id as "tenantId"
      from alert_mail a join person p using (person_id)
     where a.token_hash = $1 and a.created_at > clock_timestamp() - interval '1 day' and p.accepted_at is not null`,

  owners: `
    select array(
      select distinct on (email) jsonb_build_object('email', email, 'language', language, 'timeZone', time_zone) from person
       where role = 'OWNER' and accepted_at is not null
         and (tenant_type, tenant_id) in (('MERCHANT', asked.merchant_id), ('PSP', asked.psp_id)) order by email, language limit $3) as owners
      from unnest($1::text[], $2::text[]) with ordinality as asked(merchant_id, psp_id, nr) order by nr`,
} as const;

/** So many people a mail goes to at most. */
const ownersMax = 100;

type SessionRow = Omit<ActingPerson, 'actor'> & { email: string; name: string };
type InvitationRow = Omit<InvitedPerson, 'secret' | 'expiresAt'> & { expiresAt: Date };

export interface PortalPeopleOptions {
  /** null: there is no portal, and nobody is signed in there, invited or an owner. */
  database: ServiceDatabaseOptions | null;
  /** A session that was silent for so long has ended. */
  idleS: number;
}

/**
 * People of the portal's pages, read from the portal's own tables: the portal says nothing about them here. The connection is opened at the first
 * question, because the portal may start later and makes the tables then.
 */
@Injectable()
export class PortalPeopleStore implements OnApplicationShutdown {
  private opening: Promise<DataSource> | undefined;

  constructor(private readonly options: PortalPeopleOptions) {}

  /** undefined: no session with this secret is signed in fully and goes on. @throws DomainError 503 */
  async signedIn(secret: string): Promise<ActingPerson | undefined> {
    const [row] = await this.read<SessionRow>(portalPeopleSql.session, [hashOf(secret), this.options.idleS]);
    if (!row) return undefined;
    const { email, name, ...person } = row;
    return { ...person, actor: actorOf({ email, name }) };
  }

  /** undefined: no invitation with this secret waits. @throws DomainError 503 */
  invited(secret: string): Promise<InvitedPerson | undefined> {
    return this.mailed(portalPeopleSql.invitation, secret);
  }

  /** undefined: no alert with this secret waits, or its person is not in. @throws DomainError 503 */
  alerted(secret: string): Promise<InvitedPerson | undefined> {
    return this.mailed(portalPeopleSql.alert, secret);
  }

  private async mailed(sql: string, secret: string): Promise<InvitedPerson | undefined> {
    const [row] = await this.read<InvitationRow>(sql, [hashOf(secret)]);
    return row && { ...row, secret, expiresAt: row.expiresAt.toISOString() };
  }

  /** Those who are in as owners of each merchant or its PSP, in the order of the question. @throws DomainError 503 */
  async owners({ tenants }: OwnersRequest): Promise<Addressee[][]> {
    if (!this.options.database) return tenants.map(() => []);
    const ids = [tenants.map(({ merchantId }) => String(merchantId)), tenants.map(({ pspId }) => pspId && String(pspId))];
    const rows = await this.read<{ owners: Addressee[] }>(portalPeopleSql.owners, [...ids, ownersMax]);
    return rows.map(({ owners }) => owners);
  }

  async onApplicationShutdown(): Promise<void> {
    // One that could not be opened is not to be closed.
    await this.opening?.then(dataSource => dataSource.destroy()).catch(() => undefined);
  }

  private async read<Row>(sql: string, values: unknown[]): Promise<Row[]> {
    try {
      return await (await this.connected()).query<Row[]>(sql, values);
    } catch (cause) {
      throw unreadable(cause);
    }
  }

  private connected(): Promise<DataSource> {
    const { database } = this.options;
    if (!database) return Promise.reject(new Error('PORTAL_DATABASE_URL is not set'));
    // A failure is not kept: the next question opens a connection again.
    this.opening ??= openDataSource(database).catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }
}

function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Also before the portal's migration has made the tables and granted the right to read them. */
function unreadable(cause: unknown): DomainError {
  const message = "the portal's database cannot be read now, so nobody there can be asserted";
  return new DomainError({ status: 503, reason: 'PORTAL_DATABASE', message, cause });
}
