import { Injectable } from '@nestjs/common';
import type { ClientOrigin } from '../audit';
import { SourceRule } from '../accounts';
import { expiredToken, invalidToken } from '../refusals';
import { AcceptTokenService, AccessTokens, isJwtShaped, type LoginSession, OpenSessionService, ReusedTokens } from '../sessions';

/** shape -> genuine -> replaced before? its session ends -> accepted like on any request -> next token by compare-and-set. */
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
    // Before anything else is asked of the token: a replaced one tells of a theft also when it has expired.
    await this.reused.endIfReused(claims, origin);
    const found = await this.acceptance.accept(claims);
    if (!this.sources.permits(found.account, origin)) throw expiredToken();
    return this.sessions.renew(found, origin);
  }
}
