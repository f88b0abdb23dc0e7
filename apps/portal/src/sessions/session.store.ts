import { Injectable } from '@nestjs/common';
import type { Language } from '@paycode/dto/people';
import { DataSource } from 'typeorm';
import { deviceName } from '../alerts/domain/device';
import type { Origin } from '../audit';
import type { Person, Role, TenantType } from '../people/domain/person';
import { OpenedSession, type PortalSession, type Stage } from './domain/session';

const isOpen = (idleS: string) =>
  `s.ended_at is null and s.expires_at > clock_timestamp() and s.seen_at > clock_timestamp() - ${idleS} * interval '1 second'`;

const sessionSql = {
  open: `
    insert into portal_session (token_hash, person_id, stage, address, user_agent, expires_at)
    values ($1, $2, $3, $4, $5, clock_timestamp() + $6 * interval '1 second') returning session_id`,
  find: `
    select s.session_id, s.stage, s.address, s.user_agent, s.created_at, s.seen_at,
           p.person_id, p.email, p.name, p.tenant_type, p.tenant_id, p.role, p.totp_sealed is not null as has_totp, p.has_passkey,
           p.password_hash is not null as has_password, p.language, p.time_zone
      from portal_session s join person p using (person_id)
     where s.token_hash = $1 and ${isOpen('$2')}`,
  stillOpen: `select s.session_id from portal_session s where s.session_id = any($1::uuid[]) and ${isOpen('$2')}`,
  // Once a minute at most.
  seen: `update portal_session set seen_at = clock_timestamp()
          where session_id = $1 and seen_at < statement_timestamp() - interval '1 minute'`,
  ofPerson: `select session_id, stage, address, user_agent, created_at, seen_at from portal_session s
              where person_id = $1 and ${isOpen('$2')} order by seen_at desc limit 100`,
  end: `update portal_session set ended_at = clock_timestamp() where person_id = $1 and session_id = $2 and ended_at is null`,
  endOthers: `update portal_session set ended_at = clock_timestamp()
               where person_id = $1 and ended_at is null and session_id is distinct from $2::uuid`,
  purge: `delete from portal_session where session_id in (
            select session_id from portal_session where expires_at < statement_timestamp() - interval '1 day' limit 1000)`,
  purgeGuesses: `delete from guess_count where key in (
            select key from guess_count where forget_at < statement_timestamp() limit 1000)`,
} as const;

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
  has_password: boolean;
  language: Language | null;
  time_zone: string | null;
}

const userAgentCharsMax = 200;

@Injectable()
export class SessionStore {
  constructor(private readonly dataSource: DataSource) {}

  async open(of: { tokenHash: Buffer; personId: string; stage: Stage; origin: Origin; lifetimeS: number }): Promise<string> {
    const { address, userAgent } = of.origin;
    const values = [of.tokenHash, of.personId, of.stage, address, userAgent.slice(0, userAgentCharsMax), of.lifetimeS];
    const rows = await this.dataSource.query<{ session_id: string }[]>(sessionSql.open, values);
    return rows[0]!.session_id;
  }

  /** Of a session that goes on: neither ended, nor idle for `idleS`, nor past its life. It notes nothing: an open page that polls keeps no session alive. */
  async find(tokenHash: Buffer, idleS: number): Promise<OpenedSession | undefined> {
    const [row] = await this.dataSource.query<OpenedRow[]>(sessionSql.find, [tokenHash, idleS]);
    return row && { session: sessionOf(row), person: personOf(row) };
  }

  /** Notes that the person of the session did something. */
  async seen(sessionId: string): Promise<void> {
    await this.dataSource.query(sessionSql.seen, [sessionId]);
  }

  /** Which of them go on. */
  async stillOpen(sessionIds: readonly string[], idleS: number): Promise<Set<string>> {
    const rows = await this.dataSource.query<{ session_id: string }[]>(sessionSql.stillOpen, [sessionIds, idleS]);
    return new Set(rows.map(row => row.session_id));
  }

  async ofPerson(personId: string, idleS: number): Promise<PortalSession[]> {
    return (await this.dataSource.query<SessionRow[]>(sessionSql.ofPerson, [personId, idleS])).map(sessionOf);
  }

  /** false: that person has no such session. */
  async end(personId: string, sessionId: string): Promise<boolean> {
    const [, ended] = await this.dataSource.query<[unknown[], number]>(sessionSql.end, [personId, sessionId]);
    return ended === 1;
  }

  /** All but one: after a change of password or of the second factor. */
  async endOthers(personId: string, exceptSessionId: string | null): Promise<void> {
    await this.dataSource.query(sessionSql.endOthers, [personId, exceptSessionId]);
  }

  /** Drops what ended or ran out long ago. */
  async purge(): Promise<void> {
    await this.dataSource.query(sessionSql.purge);
    await this.dataSource.query(sessionSql.purgeGuesses);
  }
}

function sessionOf(row: SessionRow): PortalSession {
  return {
    sessionId: row.session_id,
    stage: row.stage,
    address: row.address,
    device: deviceName(row.user_agent),
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
    hasPassword: row.has_password,
    language: row.language,
    timeZone: row.time_zone,
  };
}
