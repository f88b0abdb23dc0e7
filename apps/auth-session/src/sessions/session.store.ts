import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { FlushQueue, preparedQuery } from '@paycode/persistence';
import { DataSource } from 'typeorm';
import { principalColumns } from '../accounts/account.store';
import type { Principal } from '../accounts/domain/account';
import { insertSecurityEvent } from '../audit/postgres-security-log.store';
import type { SecurityEvent } from '../audit/security-log';
import { SessionEntity } from '../entities';
import type { Session } from './domain/access-token';

const sessionColumns =
  's.id as "sessionId", s.login_kind as "loginKind", s.started_at as "startedAt", s.expires_at as "expiresAt"';

const sessionSql = {
  // Every Bearer request runs it (T-09): it is prepared, and requests that wait together share one.
  find: {
    name: 'select-sessions',
    text: `
      select ${sessionColumns}, s.credential_version as "sessionVersion", s.token_id as "tokenId", s.revoked_at as "revokedAt",
        ${principalColumns}
      from session s join account a on a.id = s.account_id
      where s.id = any($1::uuid[])`,
  },

  live: `
    select ${sessionColumns} from session s join account a on a.id = s.account_id
    where a.username = $1 and a.mode = 'BEARER' and s.credential_version = a.credential_version
      and s.revoked_at is null and s.expires_at > $2
    order by s.started_at desc, s.id limit $3`,

  // In the following statements $1 is the time and $2 the session. Each changes one row, or none when the session does not meet its condition.

  // Because of the row lock, the second of two renewals sees the token id of the first and matches no row.
  renew: `
    update session set token_id = $4, expires_at = $5, replaced_token_id = token_id, renewed_at = $1
    where id = $2 and token_id = $3 and revoked_at is null and expires_at > $1`,

  end: `
    update session set revoked_at = $1
    where id = $2 and revoked_at is null`,

  endReused: `
    update session set revoked_at = $1
    where id = $2 and revoked_at is null and token_id <> $3
      and not coalesce(replaced_token_id = $3 and renewed_at > $4, false)`,
} as const;

export interface AccountSession {
  session: Session;
  account: Principal;
}

interface Renewal {
  sessionId: string;
  /** The token presented: it must still be the current one. */
  tokenId: string;
  newTokenId: string;
  newExpiresAt: Date;
}

/** Any genuine token of a session, current or not. */
interface PresentedToken {
  sessionId: string;
  tokenId: string;
}

/** An open session, as operators see it; it expires with its current token. */
type LiveSession = Pick<Session, 'loginKind' | 'startedAt' | 'expiresAt'> & { sessionId: string };
type SessionRow = Principal & Omit<Session, 'id' | 'credentialVersion'> & { sessionId: string; sessionVersion: number };

interface SessionUpdate {
  /** Of `sessionSql`. */
  text: string;
  /** From $2 on. */
  values: unknown[];
}

/** Pause between two reads under load, so that more sessions share one. */
const spacingMs = 2;

/** The sessions, with the security event of each change in one transaction. */
@Injectable()
export class SessionStore {
  /** Every Bearer request reads its session, without a cache (T-09). Under load, one query serves all waiting requests. */
  private readonly reads = new FlushQueue<string, AccountSession | undefined>(ids => this.readAll(ids), {
    flushMax: 256,
    queueMax: 10_000,
    spacing: () => pause(spacingMs),
  });

  constructor(private readonly dataSource: DataSource) {}

  /** Stores the session and its security event in one transaction. */
  open(session: Session, accountId: string, event: SecurityEvent): Promise<void> {
    return this.dataSource.transaction(async manager => {
      await manager.insert(SessionEntity, { ...session, accountId });
      await insertSecurityEvent(manager, event, session.startedAt);
    });
  }

  /** Session and account as they are now; concurrent reads are merged into one query. */
  async find(sessionId: string): Promise<AccountSession | undefined> {
    return (await this.reads.run([sessionId]))[0];
  }

  /** Compare-and-set on the current token: of two concurrent renewals of one token exactly one gets true and writes the event. */
  renew({ sessionId, tokenId, newTokenId, newExpiresAt }: Renewal, event: SecurityEvent, nowMs: number): Promise<boolean> {
    return this.updateWith(event, nowMs, { text: sessionSql.renew, values: [sessionId, tokenId, newTokenId, newExpiresAt] });
  }

  /** Ends the session; any of its tokens suffices. Returns whether this call ended it and wrote the event. */
  end(sessionId: string, event: SecurityEvent, nowMs: number): Promise<boolean> {
    return this.updateWith(event, nowMs, { text: sessionSql.end, values: [sessionId] });
  }

  /**
   * Ends the session if the token is neither its current one nor the one that was replaced last, less than `graceMs` ago. Returns whether
   * this call ended it and wrote the event (ADR 0029).
   */
  endReused(token: PresentedToken, event: SecurityEvent, time: { nowMs: number; graceMs: number }): Promise<boolean> {
    const values = [token.sessionId, token.tokenId, new Date(time.nowMs - time.graceMs)];
    return this.updateWith(event, time.nowMs, { text: sessionSql.endReused, values });
  }

  /** Open sessions of the account, newest first. */
  live(username: string, nowMs: number, max: number): Promise<LiveSession[]> {
    return this.dataSource.query<LiveSession[]>(sessionSql.live, [username, new Date(nowMs), max]);
  }

  /** Updates one session and writes its event, both or neither. Returns whether the session met the condition of the update. */
  private updateWith(event: SecurityEvent, nowMs: number, { text, values }: SessionUpdate): Promise<boolean> {
    const now = new Date(nowMs);
    return this.dataSource.transaction(async manager => {
      const [, count] = await manager.query<[unknown, number]>(text, [now, ...values]);
      if (count === 1) await insertSecurityEvent(manager, event, now);
      return count === 1;
    });
  }

  private async readAll(ids: readonly string[]): Promise<(AccountSession | undefined)[]> {
    const rows = await preparedQuery<SessionRow>(this.dataSource, sessionSql.find, [[...new Set(ids)]]);
    const found = new Map(rows.map(row => [row.sessionId, accountSessionOf(row)]));
    return ids.map(id => found.get(id));
  }
}

function accountSessionOf({ sessionId: id, sessionVersion, ...row }: SessionRow): AccountSession {
  const { tokenId, loginKind, startedAt, expiresAt, revokedAt, ...account } = row;
  return { session: { id, credentialVersion: sessionVersion, tokenId, loginKind, startedAt, expiresAt, revokedAt }, account };
}
