import { Injectable } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { AuthGuard } from '@nestjs/passport';
import jsonwebtoken from 'jsonwebtoken';
import { type Principal, SourceRule } from '../../accounts';
import { badCredentials, expiredToken } from '../../refusals';
import { AcceptTokenService, type AccessClaims, AccessTokens } from '../../sessions';
import { Authenticator, type RequestOrigin, type UsableCredential } from '../authorize.ports';
import { BasicStrategy } from './basic.strategy';
import { BearerStrategy } from './bearer.strategy';
import type { PassportRequest } from './passport-request';
import { VerifiedTokens } from './verified-tokens';

class BasicGuard extends AuthGuard() {
  override handleRequest<T>(error: unknown, account: T): T {
    if (error) throw error;
    // passport-http itself refuses an empty user name or password.
    if (!account) throw badCredentials();
    return account;
  }
}

class BearerGuard extends AuthGuard() {
  override handleRequest<T>(error: unknown, claims: T, info: unknown): T {
    if (error) throw error;
    if (claims) return claims;
    // All errors of jsonwebtoken get one answer (A-24). Any other error is a fault of the platform and must not become
    // a 401.
    if (info instanceof jsonwebtoken.JsonWebTokenError) throw expiredToken();
    throw info instanceof Error ? info : expiredToken();
  }
}

/**
 * Runs the passport strategies on a credential from a body instead of a header, because the gateway's call carries the credential
 * of another request.
 */
@Injectable()
export class PassportAuthenticator extends Authenticator {
  private readonly basic: BasicGuard;
  private readonly bearer: BearerGuard;
  private readonly verified = new VerifiedTokens();

  constructor(
    basic: BasicStrategy,
    bearer: BearerStrategy,
    private readonly tokens: AccessTokens,
    private readonly acceptance: AcceptTokenService,
    private readonly sources: SourceRule,
  ) {
    super();
    this.basic = new BasicGuard({ defaultStrategy: basic.name, session: false });
    this.bearer = new BearerGuard({ defaultStrategy: bearer.name, session: false });
  }

  async authenticate(credential: UsableCredential, origin: RequestOrigin): Promise<Principal> {
    if (credential.kind === 'BASIC') return this.run<Principal>(this.basic, basicLine(credential), origin);
    const claims = await this.claimsOf(credential.token, origin);
    const { account } = await this.acceptance.accept(claims);
    if (!this.sources.permits(account, origin)) throw expiredToken();
    return account;
  }

  private async claimsOf(token: string, origin: RequestOrigin): Promise<AccessClaims> {
    const known = this.verified.find(token);
    if (known && (await this.tokens.isKeyValid(known.kid))) return known.claims;
    this.verified.drop(token);
    const claims = await this.run<AccessClaims>(this.bearer, `Bearer ${token}`, origin);
    const kid = await this.tokens.kidOf(token);
    if (kid !== undefined) this.verified.add(token, { claims, kid });
    return claims;
  }

  private async run<T>(guard: BasicGuard | BearerGuard, authorization: string, origin: RequestOrigin): Promise<T> {
    const request: PassportRequest & { user?: T } = { headers: { authorization }, origin };
    await guard.canActivate(new ExecutionContextHost([request, {}]));
    return request.user!;
  }
}

/**
 * passport-http cuts a password at its next colon. Generated passwords have no colon; encoding the colon keeps a wrong password whole, and
 * wrong.
 */
function basicLine({ username, password }: Extract<UsableCredential, { kind: 'BASIC' }>): string {
  return `Basic ${Buffer.from(`${username}:${password.replaceAll(':', '%3A')}`).toString('base64')}`;
}
