import { Injectable } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { ownNameRegistry } from '@paycode/access';
import jsonwebtoken from 'jsonwebtoken';
import { BasicStrategy as PassportBasicStrategy } from 'passport-http';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { BoundedMap } from '@paycode/service-runtime/timing';
import type { Account, Principal } from '../accounts/domain/account';
import { SourceRule } from '../accounts/source-rule';
import { badCredentials, expiredToken } from '../refusals';
import { AccessTokens } from '../sessions/access-tokens';
import { type AccessClaims, readClaims } from '../sessions/domain/access-token';
import type { Credential } from '../sessions/domain/authorization-header';
import { SessionsService } from '../sessions/sessions.service';
import { type RequestOrigin, VerifyPasswordService } from './verify-password.service';

type UsableCredential = Extract<Credential, { kind: 'BASIC' | 'BEARER' }>;

/** Replaces the HTTP request for the strategies: it holds the one chosen credential in canonical form. */
interface PassportRequest {
  headers: { authorization: string };
  origin: RequestOrigin;
}

/** Basic credentials through passport-http (R-5.1-1). */
@Injectable()
export class BasicStrategy extends PassportStrategy(PassportBasicStrategy) {
  declare name: string;

  constructor(private readonly passwords: VerifyPasswordService) {
    super({ passReqToCallback: true });
  }

  validate(request: PassportRequest, username: string, password: string): Promise<Account> {
    return this.passwords.verify(username, password, request.origin);
  }

  getPassportInstance() {
    return ownNameRegistry('basic');
  }
}

type Done = (error: unknown, key?: Buffer) => void;

/** Bearer tokens through passport-jwt: one algorithm, a key that the server chooses, one kind of token (T-08). */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) {
  declare name: string;

  constructor(tokens: AccessTokens) {
    const { algorithms, issuer, audience, complete, ignoreExpiration, ignoreNotBefore } = tokens.verification;
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKeyProvider: (_request, token: string, done: Done) => {
        tokens.keyOf(token).then(key => done(null, key as unknown as Buffer), done);
      },
      algorithms,
      issuer: issuer as string,
      audience: audience as string,
      ignoreExpiration,
      jsonWebTokenOptions: { complete, ignoreNotBefore },
    });
  }

  validate(token: jsonwebtoken.Jwt): AccessClaims | false {
    return readClaims(token) ?? false;
  }

  getPassportInstance() {
    return ownNameRegistry('bearer');
  }
}

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
    // All errors of jsonwebtoken get one answer (A-24). Any other error is a fault of the platform and must not become a 401.
    if (info instanceof jsonwebtoken.JsonWebTokenError) throw expiredToken();
    throw info instanceof Error ? info : expiredToken();
  }
}

interface VerifiedToken {
  claims: AccessClaims;
  /** Key that signed the token; the token is invalid when that key is withdrawn. */
  kid: string;
}

const keptMax = 10_000;

/**
 * Runs the passport strategies on a credential from a body instead of a header, because the gateway's call carries the credential
 * of another request.
 */
@Injectable()
export class PassportAuthenticator {
  private readonly basic: BasicGuard;
  private readonly bearer: BearerGuard;
  /**
   * Tokens whose signature has been verified. The signature of a text never changes, so it is verified once. Everything that can change
   * (time, session, account, keys) is checked on every request (T-09).
   */
  private readonly verified = new BoundedMap<string, VerifiedToken>(keptMax);

  constructor(
    basic: BasicStrategy,
    bearer: BearerStrategy,
    private readonly tokens: AccessTokens,
    private readonly sessions: SessionsService,
    private readonly sources: SourceRule,
  ) {
    this.basic = new BasicGuard({ defaultStrategy: basic.name, session: false });
    this.bearer = new BearerGuard({ defaultStrategy: bearer.name, session: false });
  }

  /** The account a Basic or Bearer credential belongs to. @throws DomainError 401, 429 */
  async authenticate(credential: UsableCredential, origin: RequestOrigin): Promise<Principal> {
    if (credential.kind === 'BASIC') return this.run<Principal>(this.basic, basicLine(credential), origin);
    const claims = await this.claimsOf(credential.token, origin);
    const { account } = await this.sessions.accept(claims);
    if (!this.sources.permits(account, origin)) throw expiredToken();
    return account;
  }

  private async claimsOf(token: string, origin: RequestOrigin): Promise<AccessClaims> {
    const known = this.verified.get(token);
    if (known && (await this.tokens.isKeyValid(known.kid))) return known.claims;
    this.verified.delete(token);
    const claims = await this.run<AccessClaims>(this.bearer, `Bearer ${token}`, origin);
    const kid = await this.tokens.kidOf(token);
    if (kid !== undefined) this.verified.set(token, { claims, kid });
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
