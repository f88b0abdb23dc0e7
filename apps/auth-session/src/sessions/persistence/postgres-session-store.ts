import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { FlushQueue, preparedQuery } from '@paycode/persistence';
import { DataSource } from 'typeorm';
import { principalColumns, principalOf, type PrincipalRow } from '../../accounts';
import { insertSecurityEvent, type SecurityEvent } from '../../audit';
import type { LoginKind, Session } from '../domain/session';
import { type AccountSession, type Renewal, SessionStore } from '../sessions.ports';

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

  async renew({ sessionId, tokenId, newTokenId, newExpiresAt }: Renewal, nowMs: number): Promise<boolean> {
    // The row lock of the update makes the second of two renewals see the first one's token id and match nothing.
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `update session set token_id = $3, expires_at = $4
       where id = $1 and token_id = $2 and revoked_at is null and expires_at > $5`,
      [sessionId, tokenId, newTokenId, newExpiresAt, new Date(nowMs)],
    );
    return count === 1;
  }

  async revoke(sessionId: string, tokenId: string, nowMs: number): Promise<boolean> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      'update session set revoked_at = $3 where id = $1 and token_id = $2 and revoked_at is null',
      [sessionId, tokenId, new Date(nowMs)],
    );
    return count === 1;
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
