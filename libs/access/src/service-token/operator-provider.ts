import { createHash } from 'node:crypto';
import { DomainError } from '@paycode/service-runtime';
import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { type InternalCaller, operatorName, subjectPattern } from './token-keys';

/** The company's OpenID Connect provider, and the client there whose ID tokens operators show. */
export interface OperatorProviderOptions {
  issuer: string;
  clientId: string;
  lifetimeMaxS: number;
}

/** The value that the provider puts into `roles` or `groups` of persons who may operate the platform. */
export const operatorRole = 'paycode-operator';
const asymmetric = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
const clockToleranceS = 5;
const timeoutMs = 5_000;
const askedAgainMs = 5_000;

/**
 * Operators by the company's own sign-in: their ID tokens (OpenID Connect Core 3.1.3.7) are operator tokens. The provider's keys are kept; they
 * are asked for again for an unknown key, at most every 30 seconds.
 */
export class OperatorProvider {
  private found: { keys: Promise<JWTVerifyGetKey>; untilMs: number } | undefined;

  /** @throws Error for an issuer without TLS that is not on this machine */
  constructor(private readonly options: OperatorProviderOptions) {
    requireProtected('OPERATOR_OIDC_ISSUER', options.issuer);
  }

  /** Whether a token says that it is of this provider; nothing is verified yet. */
  isIssuerOf(token: string): boolean {
    try {
      return decodeJwt(token).iss === this.options.issuer;
    } catch {
      return false;
    }
  }

  /** The operator of an ID token; undefined for one that proves none. @throws DomainError 503 when the provider does not give its keys */
  async callerOf(token: string): Promise<InternalCaller | undefined> {
    const { issuer, clientId: audience } = this.options;
    const keys = await this.keys();
    try {
      const rules = {
        issuer,
        audience,
        algorithms: asymmetric,
        clockTolerance: clockToleranceS,
        requiredClaims: ['iat', 'exp', 'sub'],
      };
      return this.callerNamed((await jwtVerify(token, keys, rules)).payload, token);
    } catch (error) {
      if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)) throw away(error);
      return undefined;
    }
  }

  private callerNamed(claims: JWTPayload, token: string): InternalCaller | undefined {
    const { iat, exp, sub, jti, email, email_verified: isVerified } = claims;
    const subject = typeof email === 'string' && isVerified === true ? email : sub!;
    if (!this.mayOperate(claims) || !subjectPattern.test(subject)) return undefined;
    // An ID token need not have an id, and a revocation needs one.
    const tokenId = jti ?? createHash('sha256').update(token).digest('base64url');
    return { name: operatorName, subject, tokenId, issuedAtS: iat!, expiresAtS: exp! };
  }

  /** A token for several clients must name ours as the one that got it. */
  private mayOperate({ aud, azp, iat, exp, roles, groups }: JWTPayload): boolean {
    const isForUs = typeof aud === 'string' || azp === this.options.clientId;
    const hasRole = [roles, groups].some(held => Array.isArray(held) && held.includes(operatorRole));
    return isForUs && hasRole && exp! - iat! <= this.options.lifetimeMaxS;
  }

  /** The provider is asked where its keys are once; after a failure at most every five seconds. */
  private keys(): Promise<JWTVerifyGetKey> {
    if (this.found && performance.now() < this.found.untilMs) return this.found.keys;
    const found = { keys: this.discover(), untilMs: performance.now() + askedAgainMs };
    found.keys.then(
      () => (found.untilMs = Infinity),
      () => undefined,
    );
    this.found = found;
    return found.keys;
  }

  private async discover(): Promise<JWTVerifyGetKey> {
    const { issuer } = this.options;
    const where = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    try {
      const answer = await fetch(where, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
      const { issuer: named, jwks_uri: keys } = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown };
      if (named !== issuer || typeof keys !== 'string') throw new Error(`${where} does not describe ${issuer}`);
      requireProtected('jwks_uri', keys);
      return createRemoteJWKSet(new URL(keys), { timeoutDuration: timeoutMs });
    } catch (error) {
      throw away(error);
    }
  }
}

function requireProtected(name: string, url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    throw new Error(`${name} must begin with https://`);
}

function away(cause: unknown): DomainError {
  if (cause instanceof DomainError) return cause;
  const message = "the operators' identity provider does not answer: try again, or use a token of the platform's own key";
  return new DomainError({ status: 503, reason: 'OPERATOR_PROVIDER', message, cause });
}
