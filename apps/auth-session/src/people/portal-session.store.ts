import { hash } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ActingPerson } from '@paycode/access';
import { actorOf } from '@paycode/dto/people';
import { openDataSource, type ServiceDatabaseOptions } from '@paycode/persistence';
import { DomainError } from '@paycode/service-runtime';
import type { DataSource } from 'typeorm';

/** This statement reads the portal's tables, whose migrations grant the role of auth-session these columns (`readers` there). */
const portalSessionSql = {
  find: `
    select s.session_id as "sessionId", p.person_id as "personId", p.email, p.name, p.role,
           p.tenant_type as "tenantType", p.tenant_id as "tenantId"
      from portal_session s join person p using (person_id)
     where s.token_hash = $1 and s.stage = 'FULL' and s.ended_at is null
       and s.expires_at > clock_timestamp() and s.seen_at > clock_timestamp() - $2 * interval '1 second'`,
} as const;

type SessionRow = Omit<ActingPerson, 'actor'> & { email: string; name: string };

export interface PortalSessionOptions {
  /** null: there is no portal, and nobody is signed in. */
  database: ServiceDatabaseOptions | null;
  /** A session that was silent for so long has ended. */
  idleS: number;
}

/**
 * Sessions of the portal's pages, read from the portal's own tables: the portal says nothing about them here. The connection is opened at the first
 * question, because the portal may start later and makes the tables then.
 */
@Injectable()
export class PortalSessionStore implements OnApplicationShutdown {
  private opening: Promise<DataSource> | undefined;

  constructor(private readonly options: PortalSessionOptions) {}

  /** undefined: no session with this secret is signed in fully and goes on. @throws DomainError 503 */
  async find(secret: string): Promise<ActingPerson | undefined> {
    const values = [hash('sha256', secret, 'buffer'), this.options.idleS];
    const [row] = await this.connected()
      .then(dataSource => dataSource.query<SessionRow[]>(portalSessionSql.find, values))
      .catch((cause: unknown) => {
        throw unreadable(cause);
      });
    if (!row) return undefined;
    const { email, name, ...person } = row;
    return { ...person, actor: actorOf({ email, name }) };
  }

  async onApplicationShutdown(): Promise<void> {
    // One that could not be opened is not to be closed.
    await this.opening?.then(dataSource => dataSource.destroy()).catch(() => undefined);
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

/** Also before the portal's migration has made the tables and granted the right to read them. */
function unreadable(cause: unknown): DomainError {
  const message = "the portal's database cannot be read now, so nobody can be asserted to be signed in there";
  return new DomainError({ status: 503, reason: 'PORTAL_DATABASE', message, cause });
}
