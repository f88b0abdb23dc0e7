import { Injectable } from '@nestjs/common';
import { type ClientOrigin, SecurityLog } from '../audit';
import { SourceRule } from '../accounts';
import { expiredToken, invalidToken } from '../refusals';
import { AcceptTokenService, AccessTokens, isJwtShaped, type LoginSession, OpenSessionService } from '../sessions';

/** shape -> genuine -> accepted like on any request -> next token by compare-and-set. */
@Injectable()
export class RenewSessionService {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly acceptance: AcceptTokenService,
    private readonly sessions: OpenSessionService,
    private readonly securityLog: SecurityLog,
    private readonly sources: SourceRule,
  ) {}

  /** @throws DomainError 401 */
  async renew(jwt: string, origin: ClientOrigin): Promise<LoginSession> {
    if (!isJwtShaped(jwt)) throw invalidToken();
    const found = await this.acceptance.accept(await this.tokens.genuine(jwt));
    if (!this.sources.permits(found.account, origin)) throw expiredToken();
    const session = await this.sessions.renew(found);
    await this.securityLog.record({ kind: 'SESSION_RENEWED', subject: found.account.username, origin });
    return session;
  }
}
