import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { constantTimeEqual } from '@paycode/crypto';
import { counter } from '@paycode/service-runtime/metrics';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { Clock } from '@paycode/service-runtime/timing';
import type { Principal } from '../accounts/domain/account';
import { SourceRule } from '../accounts/source-rule';
import type { ClientOrigin, Origin } from '../audit/security-log';
import { expiredToken, invalidToken, jwtDisabled } from '../refusals';
import { AccessTokens } from './access-tokens';
import { type AccessClaims, accessTokenLifetimeMs, isTimely, type LoginKind, objectionTo } from './domain/access-token';
import { isJwtShaped } from './domain/authorization-header';
import { type AccountSession, SessionStore } from './session.store';

const reusedTotal = counter(
  'paycode_auth_session_tokens_reused_total',
  'Sessions ended because somebody tried to renew a replaced token.',
);

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

export const SESSION_RULES = Symbol('SESSION_RULES');

export interface SessionRules {
  /** A session may be renewed for this long, in milliseconds from login; Infinity sets no limit. */
  lifetimeMaxMs: number;
  /** For this long, in milliseconds, the most recently replaced token does not count as stolen when it is sent again (ADR 0029). */
  renewGraceMs: number;
}

interface SessionStart {
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

/** Sessions of clients: they open, accept tokens, renew and end. The row is written before the token is returned. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionStore,
    private readonly tokens: AccessTokens,
    private readonly sources: SourceRule,
    private readonly clock: Clock,
    @Inject(SESSION_RULES) private readonly rules: SessionRules,
    @Inject(LOGGER) private readonly logger: Logger,
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

  /**
   * Flow: claims within their time -> session row, read now (T-09) -> current token? -> account in Bearer mode?. `claims` of a genuine
   * token; undefined for one that is not an access token. @throws DomainError 401
   */
  async accept(claims: AccessClaims | undefined): Promise<AccountSession> {
    if (!claims || !isTimely(claims, this.clock.epochMs())) throw expiredToken();
    const found = await this.sessions.find(claims.sessionId);
    if (!found || !constantTimeEqual(found.session.tokenId, claims.tokenId)) throw expiredToken();
    const objection = objectionTo(found.session, found.account, this.clock.epochMs());
    if (objection === 'ENDED') throw expiredToken();
    if (objection === 'JWT_DISABLED') throw jwtDisabled();
    return found;
  }

  /**
   * Flow: shape -> genuine? -> a replaced token ends its session -> the checks of any request -> next token by compare-and-set.
   * @throws DomainError 401
   */
  async renew(jwt: string, origin: ClientOrigin): Promise<LoginSession> {
    if (!isJwtShaped(jwt)) throw invalidToken();
    const claims = await this.tokens.genuine(jwt);
    if (!claims) throw expiredToken();
    // This check is first, because a replaced token is a sign of theft even when it has expired.
    await this.endIfReused(claims, origin);
    const found = await this.accept(claims);
    if (!this.sources.permits(found.account, origin)) throw expiredToken();
    return this.issueNext(found, origin);
  }

  /**
   * Flow: each token -> genuine? -> its session ends, even when the token has expired or was replaced. A session that has ended already is no
   * error. @throws DomainError 401 `Invalid JWT token` when none of the tokens is genuine
   */
  async end(tokens: readonly string[], origin: ClientOrigin): Promise<void> {
    let genuine = 0;
    for (const token of new Set(tokens)) {
      const claims = await this.tokens.genuine(token);
      if (!claims) continue;
      genuine += 1;
      const event = { kind: 'SESSION_ENDED', subject: claims.subject, origin } as const;
      await this.sessions.end(claims.sessionId, event, this.clock.epochMs());
    }
    if (genuine === 0) throw invalidToken();
  }

  /**
   * Ends the session of a genuine token, unless it is the current token or was replaced within the grace period: two parties have the
   * session, and one of them stole it (ADR 0029).
   */
  private async endIfReused({ subject, sessionId, tokenId }: AccessClaims, origin: ClientOrigin): Promise<void> {
    const found = await this.sessions.find(sessionId);
    if (!found || found.session.revokedAt !== null || found.session.tokenId === tokenId) return;
    const event = { kind: 'TOKEN_REUSED', subject, origin } as const;
    const time = { nowMs: this.clock.epochMs(), graceMs: this.rules.renewGraceMs };
    if (!(await this.sessions.endReused({ sessionId, tokenId }, event, time))) return;
    reusedTotal.inc();
    const { address, requestId } = origin;
    this.logger.warn(
      { event: 'token-reused', username: subject, address, requestId },
      'somebody tried to renew a replaced token; its session was ended',
    );
  }

  /** The next token of a session; the one presented stops working (R-4.1-10). @throws DomainError 401 for all but one of concurrent calls */
  private async issueNext({ session, account }: AccountSession, origin: Origin): Promise<LoginSession> {
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
      // JWT times are whole seconds. Rounding up lets `expires` of the session, never the token itself, end the validity (R-2.2-6).
      expiresAtS: Math.ceil(expiresAt.getTime() / 1_000),
    });
    return { headerName: 'Authorization', headerValue: `Bearer ${token}`, sessionId, expires: expiresAt.toISOString() };
  }
}
