import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { FlushQueue, preparedQuery } from '@paycode/persistence';
import { DataSource } from 'typeorm';
import { principalOf, type PrincipalRow } from '../../accounts';
import { insertSecurityEvent, type SecurityEvent } from '../../audit';
import type { LoginKind, Session } from '../domain/session';
import { type AccountSession, type LiveSession, type PresentedToken, type Renewal, SessionStore } from '../sessions.ports';
import { SessionEntity } from './session.entity';
import { sessionSql as sql } from './session.sql';

type SessionRow = PrincipalRow & {
  session_id: string;
  session_version: number;
  token_id: string;
  login_kind: LoginKind;
  started_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
};

interface SessionUpdate {
  /** Of `sessionSql`. */
  text: string;
  /** From $2 on. */
  values: unknown[];
}

/** Pause between two reads under load, so that more sessions share one. */
const spacingMs = 2;

@Injectable()
export class PostgresSessionStore extends SessionStore {
  /** Every Bearer request reads its session, without a cache (T-09). Under load, one query serves all waiting requests. */
  private readonly reads = new FlushQueue<string, AccountSession | undefined>(ids => this.readAll(ids), {
    flushMax: 256,
    queueMax: 10_000,
    spacing: () => pause(spacingMs),
  });

  constructor(private readonly dataSource: DataSource) {
    super();
  }

  open(session: Session, accountId: string, event: SecurityEvent): Promise<void> {
    return this.dataSource.transaction(async manager => {
      await manager.insert(SessionEntity, { ...session, accountId });
      await insertSecurityEvent(manager, event, session.startedAt);
    });
  }

  async find(sessionId: string): Promise<AccountSession | undefined> {
    return (await this.reads.run([sessionId]))[0];
  }

  renew({ sessionId, tokenId, newTokenId, newExpiresAt }: Renewal, event: SecurityEvent, nowMs: number): Promise<boolean> {
    return this.updateWith(event, nowMs, { text: sql.renew, values: [sessionId, tokenId, newTokenId, newExpiresAt] });
  }

  end(sessionId: string, event: SecurityEvent, nowMs: number): Promise<boolean> {
    return this.updateWith(event, nowMs, { text: sql.end, values: [sessionId] });
  }

  endReused(token: PresentedToken, event: SecurityEvent, time: { nowMs: number; graceMs: number }): Promise<boolean> {
    const values = [token.sessionId, token.tokenId, new Date(time.nowMs - time.graceMs)];
    return this.updateWith(event, time.nowMs, { text: sql.endReused, values });
  }

  async live(username: string, nowMs: number, max: number): Promise<LiveSession[]> {
    const rows = await this.dataSource.query<SessionRow[]>(sql.live, [username, new Date(nowMs), max]);
    return rows.map(row => ({
      id: row.session_id,
      loginKind: row.login_kind,
      startedAt: row.started_at,
      expiresAt: row.expires_at,
    }));
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
    const rows = await preparedQuery<SessionRow>(this.dataSource, sql.find, [[...new Set(ids)]]);
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
