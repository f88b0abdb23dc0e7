import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '@paycode/timing';
import { expiredToken, jwtDisabled } from '../refusals';
import { type AccessClaims, isTimely } from './domain/access-token';
import { objectionTo } from './domain/session';
import { type AccountSession, SessionStore } from './sessions.ports';

/** Flow: claims within their time -> session row, read now (T-09) -> current token? -> account in Bearer mode?. */
@Injectable()
export class AcceptTokenService {
  constructor(
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
  ) {}

  /** `claims` of a genuine token; undefined for one that is not an access token. @throws DomainError 401 */
  async accept(claims: AccessClaims | undefined): Promise<AccountSession> {
    if (!claims || !isTimely(claims, this.clock.epochMs())) throw expiredToken();
    const found = await this.sessions.find(claims.sessionId);
    if (!found || !isSameTokenId(found.session.tokenId, claims.tokenId)) throw expiredToken();
    const objection = objectionTo(found.session, found.account, this.clock.epochMs());
    if (objection === 'ENDED') throw expiredToken();
    if (objection === 'JWT_DISABLED') throw jwtDisabled();
    return found;
  }
}

/** Compares in constant time (T-07). Token ids are UUIDs, so they have the same length. */
function isSameTokenId(current: string, presented: string): boolean {
  return current.length === presented.length && timingSafeEqual(Buffer.from(current), Buffer.from(presented));
}
