import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '@paycode/timing';
import type { Principal } from '../accounts';
import type { Origin } from '../audit';
import { expiredToken } from '../refusals';
import { AccessTokens } from './access-tokens';
import { accessTokenLifetimeMs } from './domain/access-token';
import type { LoginKind } from './domain/session';
import { type AccountSession, SessionStore } from './sessions.ports';

/** Login session of spec 2.2. */
export interface LoginSession {
  headerName: 'Authorization';
  /** `Bearer ` and the token. */
  headerValue: string;
  /** UUID. */
  sessionId: string;
  /** ISO 8601 UTC: the moment the token is rejected (R-2.2-6). */
  expires: string;
}

export interface SessionRules {
  /** A session may be renewed for this long, in milliseconds from login; Infinity sets no limit. */
  lifetimeMaxMs: number;
  /**
   * For this long, in milliseconds, the most recently replaced token does not count as stolen when it is sent again
   * (ADR 0029).
   */
  renewGraceMs: number;
}

export interface SessionStart {
  account: Principal;
  loginKind: LoginKind;
  origin: Origin;
}

interface IssuedToken {
  subject: string;
  sessionId: string;
  tokenId: string;
  nowMs: number;
  expiresAt: Date;
}

/** Opens sessions and issues their next tokens; it writes the row before it returns the token. */
@Injectable()
export class OpenSessionService {
  constructor(
    private readonly sessions: SessionStore,
    private readonly tokens: AccessTokens,
    private readonly clock: Clock,
    @Inject('SessionRules') private readonly rules: SessionRules,
  ) {}

  async open({ account, loginKind, origin }: SessionStart): Promise<LoginSession> {
    const nowMs = this.clock.epochMs();
    const { username: subject, credentialVersion } = account;
    const issued = { subject, sessionId: randomUUID(), tokenId: randomUUID(), nowMs, expiresAt: this.expiry(nowMs, nowMs) };
    const { sessionId: id, tokenId, expiresAt } = issued;
    const startedAt = new Date(nowMs);
    const session = { id, credentialVersion, tokenId, loginKind, startedAt, expiresAt, revokedAt: null };
    const event = { kind: 'LOGIN_SUCCEEDED', subject, origin, detail: loginKind.toLowerCase() } as const;
    await this.sessions.open(session, account.id, event);
    return this.answer(issued);
  }

  /** The next token of a session; the one presented stops working (R-4.1-10). @throws DomainError 401 for all but one of concurrent calls */
  async renew({ session, account }: AccountSession, origin: Origin): Promise<LoginSession> {
    const nowMs = this.clock.epochMs();
    const expiresAt = this.expiry(nowMs, session.startedAt.getTime());
    const issued = { subject: account.username, sessionId: session.id, tokenId: randomUUID(), nowMs, expiresAt };
    const renewal = { sessionId: session.id, tokenId: session.tokenId, newTokenId: issued.tokenId, newExpiresAt: expiresAt };
    const event = { kind: 'SESSION_RENEWED', subject: account.username, origin } as const;
    if (expiresAt.getTime() <= nowMs || !(await this.sessions.renew(renewal, event, nowMs))) throw expiredToken();
    return this.answer(issued);
  }

  private expiry(nowMs: number, startedAtMs: number): Date {
    return new Date(Math.min(nowMs + accessTokenLifetimeMs, startedAtMs + this.rules.lifetimeMaxMs));
  }

  private async answer({ subject, sessionId, tokenId, nowMs, expiresAt }: IssuedToken): Promise<LoginSession> {
    const token = await this.tokens.sign({
      subject,
      sessionId,
      tokenId,
      issuedAtS: Math.floor(nowMs / 1_000),
      // JWT times are whole seconds. Rounding up lets `expires` of the session, never the token itself, end the
      // validity (R-2.2-6).
      expiresAtS: Math.ceil(expiresAt.getTime() / 1_000),
    });
    return { headerName: 'Authorization', headerValue: `Bearer ${token}`, sessionId, expires: expiresAt.toISOString() };
  }
}
