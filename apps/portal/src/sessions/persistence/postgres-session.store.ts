import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Origin } from '../../audit/audit.ports';
import type { Person, Role, TenantType } from '../../people/domain/person';
import type { PortalSession, Stage } from '../domain/session';
import { type OpenedSession, SessionStore } from '../sessions.ports';
import { sessionSql as sql } from './session.sql';

interface SessionRow {
  session_id: string;
  stage: Stage;
  address: string;
  user_agent: string;
  created_at: Date;
  seen_at: Date;
}

interface OpenedRow extends SessionRow {
  person_id: string;
  email: string;
  name: string;
  tenant_type: TenantType;
  tenant_id: string;
  role: Role;
  has_totp: boolean;
  has_passkey: boolean;
}

const userAgentCharsMax = 200;

@Injectable()
export class PostgresSessionStore extends SessionStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async open(of: {
    tokenHash: Buffer;
    personId: string;
    stage: Stage;
    origin: Origin;
    lifetimeS: number;
  }): Promise<string> {
    const { address, userAgent } = of.origin;
    const values = [of.tokenHash, of.personId, of.stage, address, userAgent.slice(0, userAgentCharsMax), of.lifetimeS];
    const rows = await this.dataSource.query<{ session_id: string }[]>(sql.open, values);
    return rows[0]!.session_id;
  }

  override async find(tokenHash: Buffer, idleS: number): Promise<OpenedSession | undefined> {
    const [row] = await this.dataSource.query<OpenedRow[]>(sql.find, [tokenHash, idleS]);
    if (!row) return undefined;
    await this.dataSource.query(sql.seen, [tokenHash]);
    return { session: sessionOf(row), person: personOf(row) };
  }

  override async stillOpen(sessionIds: readonly string[], idleS: number): Promise<Set<string>> {
    const rows = await this.dataSource.query<{ session_id: string }[]>(sql.stillOpen, [sessionIds, idleS]);
    return new Set(rows.map(row => row.session_id));
  }

  override async ofPerson(personId: string, idleS: number): Promise<PortalSession[]> {
    return (await this.dataSource.query<SessionRow[]>(sql.ofPerson, [personId, idleS])).map(sessionOf);
  }

  override async end(personId: string, sessionId: string): Promise<boolean> {
    const [, ended] = await this.dataSource.query<[unknown[], number]>(sql.end, [personId, sessionId]);
    return ended === 1;
  }

  override async endOthers(personId: string, exceptSessionId: string | null): Promise<void> {
    await this.dataSource.query(sql.endOthers, [personId, exceptSessionId]);
  }

  override async purge(): Promise<void> {
    await this.dataSource.query(sql.purge);
    await this.dataSource.query(sql.purgeGuesses);
  }
}

function sessionOf(row: SessionRow): PortalSession {
  return {
    sessionId: row.session_id,
    stage: row.stage,
    address: row.address,
    userAgent: row.user_agent,
    createdAt: row.created_at.toISOString(),
    seenAt: row.seen_at.toISOString(),
  };
}

function personOf({ email, name, role, ...row }: OpenedRow): Person {
  return {
    personId: row.person_id,
    email,
    name,
    tenantType: row.tenant_type,
    tenantId: row.tenant_id,
    role,
    hasTotp: row.has_totp,
    hasPasskey: row.has_passkey,
  };
}
