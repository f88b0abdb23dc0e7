import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { FlushQueue, preparedQuery } from '@paycode/persistence';
import { DataSource } from 'typeorm';
import { principalColumns, principalOf, type PrincipalRow } from '../../accounts';
import { insertSecurityEvent, type SecurityEvent } from '../../audit';
import type { LoginKind, Session } from '../domain/session';
import { type AccountSession, type LiveSession, type PresentedToken, type Renewal, SessionStore } from '../sessions.ports';

type SessionRow = PrincipalRow & {
  session_id: string;
  session_version: number;
  token_id: string;
  login_kind: LoginKind;
  started_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
};

const selectSessions = {
  name: 'select-sessions',
  text: `
  select s.id as session_id, s.credential_version as session_version, s.token_id, s.login_kind, s.started_at, s.expires_at,
    s.revoked_at, ${principalColumns}
  from session s join account a on a.id = s.account_id
  where s.id = any($1::uuid[])`,
};

interface SessionUpdate {
  set: string;
  where: string;
  values: unknown[];
}

/** Between two reads under load: one costs as much as many sessions. */
const spacingMs = 2;

@Injectable()
export class PostgresSessionStore extends SessionStore {
  /** Read on every Bearer request (T-09), never cached; under load one query serves all that wait. */
  private readonly reads = new FlushQueue<string, AccountSession | undefined>(ids => this.readAll(ids), {
    flushMax: 256,
    queueMax: 10_000,
    spacing: () => pause(spacingMs),
  });

  constructor(private readonly dataSource: DataSource) {
    super();
  }

  open(session: Session, accountId: string, event: SecurityEvent): Promise<void> {
    const { id, credentialVersion, tokenId, loginKind, startedAt, expiresAt } = session;
    return this.dataSource.transaction(async manager => {
      await manager.query(
        `insert into session (id, account_id, credential_version, token_id, login_kind, started_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [id, accountId, credentialVersion, tokenId, loginKind, startedAt, expiresAt],
      );
      await insertSecurityEvent(manager, event, startedAt);
    });
  }

  async find(sessionId: string): Promise<AccountSession | undefined> {
    return (await this.reads.run([sessionId]))[0];
  }

  renew({ sessionId, tokenId, newTokenId, newExpiresAt }: Renewal, event: SecurityEvent, nowMs: number): Promise<boolean> {
    // The row lock of the update makes the second of two renewals see the first one's token id and match nothing.
    return this.updateWith(event, nowMs, {
      set: 'token_id = $4, expires_at = $5, replaced_token_id = token_id, renewed_at = $1',
      where: 'id = $2 and token_id = $3 and revoked_at is null and expires_at > $1',
      values: [sessionId, tokenId, newTokenId, newExpiresAt],
    });
  }

  end(sessionId: string, event: SecurityEvent, nowMs: number): Promise<boolean> {
    return this.updateWith(event, nowMs, {
      set: 'revoked_at = $1',
      where: 'id = $2 and revoked_at is null',
      values: [sessionId],
    });
  }

  endReused(token: PresentedToken, event: SecurityEvent, time: { nowMs: number; graceMs: number }): Promise<boolean> {
    return this.updateWith(event, time.nowMs, {
      set: 'revoked_at = $1',
      where: `id = $2 and revoked_at is null and token_id <> $3
        and not coalesce(replaced_token_id = $3 and renewed_at > $4, false)`,
      values: [token.sessionId, token.tokenId, new Date(time.nowMs - time.graceMs)],
    });
  }

  async live(username: string, nowMs: number, max: number): Promise<LiveSession[]> {
    const rows = await this.dataSource.query<SessionRow[]>(
      `select s.id as session_id, s.login_kind, s.started_at, s.expires_at from session s join account a on a.id = s.account_id
       where a.username = $1 and a.mode = 'BEARER' and s.credential_version = a.credential_version
         and s.revoked_at is null and s.expires_at > $2
       order by s.started_at desc, s.id limit $3`,
      [username, new Date(nowMs), max],
    );
    return rows.map(row => ({
      id: row.session_id,
      loginKind: row.login_kind,
      startedAt: row.started_at,
      expiresAt: row.expires_at,
    }));
  }

  /** One update of one session and its event, both or neither; `$1` is the time. Whether the session was as `where` says. */
  private updateWith(event: SecurityEvent, nowMs: number, { set, where, values }: SessionUpdate): Promise<boolean> {
    const now = new Date(nowMs);
    return this.dataSource.transaction(async manager => {
      const [, count] = await manager.query<[unknown, number]>(`update session set ${set} where ${where}`, [now, ...values]);
      if (count === 1) await insertSecurityEvent(manager, event, now);
      return count === 1;
    });
  }

  private async readAll(ids: readonly string[]): Promise<(AccountSession | undefined)[]> {
    const rows = await preparedQuery<SessionRow>(this.dataSource, selectSessions, [[...new Set(ids)]]);
    const found = new Map(rows.map(row => [row.session_id, { session: sessionOf(row), account: principalOf(row) }]));
    return ids.map(id => found.get(id));
  }
}

function sessionOf(row: SessionRow): Session {
  return {
    id: row.session_id,
    credentialVersion: row.session_version,
    tokenId: row.token_id,
    loginKind: row.login_kind,
    startedAt: row.started_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
