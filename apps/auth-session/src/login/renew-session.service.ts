import { Injectable } from '@nestjs/common';
import type { ClientOrigin } from '../audit';
import { SourceRule } from '../accounts';
import { expiredToken, invalidToken } from '../refusals';
import { AcceptTokenService, AccessTokens, isJwtShaped, type LoginSession, OpenSessionService, ReusedTokens } from '../sessions';

/**
 * Flow: shape -> genuine? -> a replaced token ends its session -> the checks of any request -> next token by compare-and-set.
 */
@Injectable()
export class RenewSessionService {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly acceptance: AcceptTokenService,
    private readonly sessions: OpenSessionService,
    private readonly reused: ReusedTokens,
    private readonly sources: SourceRule,
  ) {}

  /** @throws DomainError 401 */
  async renew(jwt: string, origin: ClientOrigin): Promise<LoginSession> {
    if (!isJwtShaped(jwt)) throw invalidToken();
    const claims = await this.tokens.genuine(jwt);
    if (!claims) throw expiredToken();
    // This check is first, because a replaced token is a sign of theft even when it has expired.
    await this.reused.endIfReused(claims, origin);
    const found = await this.acceptance.accept(claims);
    if (!this.sources.permits(found.account, origin)) throw expiredToken();
    return this.sessions.renew(found, origin);
  }
}
