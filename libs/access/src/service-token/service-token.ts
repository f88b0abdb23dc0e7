import { createSecretKey, randomUUID, type KeyObject } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';

/** Life of a service token, in seconds (architecture: internal calls). */
const lifetimeS = 60;
/** A cached token is replaced when less than this is left, in seconds. */
const renewBeforeS = 20;
const secretCharsMin = 32;

/** Turns configured secrets into keys; KeyObjects verify 50 times faster than strings. Throws on a secret that is too short. */
export function secretKeys(secrets: readonly string[]): KeyObject[] {
  if (secrets.length === 0) throw new Error('at least one secret is needed');
  return secrets.map(secret => {
    if (secret.length < secretCharsMin) throw new Error(`a secret has fewer than ${secretCharsMin} characters`);
    return createSecretKey(Buffer.from(secret, 'utf8'));
  });
}

/** Signs the tokens one service sends to others: HS256, issuer = caller, audience = callee, 60 s. */
export class ServiceTokenSigner {
  private readonly key: KeyObject;
  private readonly cache = new Map<string, { token: string; staleAt: number }>();

  constructor(
    private readonly issuer: string,
    secrets: readonly string[],
  ) {
    this.key = secretKeys(secrets)[0]!;
  }

  tokenFor(audience: string): string {
    const nowS = Math.floor(Date.now() / 1_000);
    const cached = this.cache.get(audience);
    if (cached && cached.staleAt > nowS) return cached.token;
    const token = jsonwebtoken.sign({}, this.key, {
      algorithm: 'HS256',
      issuer: this.issuer,
      audience,
      expiresIn: lifetimeS,
      jwtid: randomUUID(),
    });
    this.cache.set(audience, { token, staleAt: nowS + lifetimeS - renewBeforeS });
    return token;
  }
}

/** An operator token for the internal listeners of all services. Long lives are for standalone only. */
export function signOperatorToken(secret: string, lifetimeSeconds: number): string {
  const key = secretKeys([secret])[0]!;
  return jsonwebtoken.sign({}, key, {
    algorithm: 'HS256',
    issuer: 'operator',
    audience: 'paycode-internal',
    expiresIn: lifetimeSeconds,
  });
}

export interface TokenSecrets {
  serviceSecrets: readonly string[];
  operatorSecrets: readonly string[];
}

/** Verifies service and operator tokens presented to one service. */
export class ServiceTokenVerifier {
  private readonly serviceKeys: KeyObject[];
  private readonly operatorKeys: KeyObject[];

  constructor(
    private readonly audience: string,
    secrets: TokenSecrets,
  ) {
    this.serviceKeys = secretKeys(secrets.serviceSecrets);
    this.operatorKeys = secretKeys(secrets.operatorSecrets);
  }

  /** The caller's name (`operator` for operators), or undefined when no key accepts the token. */
  callerOf(token: string): string | undefined {
    return (
      this.issuerBy(this.serviceKeys, token, this.audience, false) ??
      this.issuerBy(this.operatorKeys, token, 'paycode-internal', true)
    );
  }

  private issuerBy(keys: KeyObject[], token: string, audience: string, isOperator: boolean): string | undefined {
    for (const key of keys) {
      try {
        const claims = jsonwebtoken.verify(token, key, { algorithms: ['HS256'], audience }) as jsonwebtoken.JwtPayload;
        // A service secret must not be able to mint an operator, nor the reverse (T-27).
        if (typeof claims.iss === 'string' && (claims.iss === 'operator') === isOperator) return claims.iss;
      } catch (error) {
        if (!(error instanceof jsonwebtoken.JsonWebTokenError)) throw error;
      }
    }
    return undefined;
  }
}
