import { createHmac, createSecretKey, randomUUID, type KeyObject } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';

/** Life of a service token, in seconds (architecture: internal calls). */
const lifetimeS = 60;
/** A cached token is replaced when less than this is left, in seconds. */
const renewBeforeS = 20;
const secretCharsMin = 32;
const operatorName = 'operator';
const operatorAudience = 'paycode-internal';

interface SecretKey {
  kid: string;
  key: KeyObject;
}

/** Turns configured secrets into keys; KeyObjects verify 50 times faster than strings. Throws on a secret that is too short. */
export function secretKeys(secrets: readonly string[]): SecretKey[] {
  if (secrets.length === 0) throw new Error('at least one secret is needed');
  return secrets.map(secret => {
    if (secret.length < secretCharsMin) throw new Error(`a secret has fewer than ${secretCharsMin} characters`);
    const key = createSecretKey(Buffer.from(secret, 'utf8'));
    // Says which of several secrets signed, so that a verifier picks one key instead of trying all; tells nothing of the secret.
    const kid = createHmac('sha256', key).update('paycode token key id').digest('hex').slice(0, 12);
    return { kid, key };
  });
}

/** Signs the tokens one service sends to others: HS256, issuer = caller, audience = callee, 60 s. */
export class ServiceTokenSigner {
  private readonly secret: SecretKey;
  private readonly cache = new Map<string, { token: string; staleAt: number }>();

  constructor(
    private readonly issuer: string,
    secrets: readonly string[],
  ) {
    this.secret = secretKeys(secrets)[0]!;
  }

  tokenFor(audience: string): string {
    const nowS = Math.floor(Date.now() / 1_000);
    const cached = this.cache.get(audience);
    if (cached && cached.staleAt > nowS) return cached.token;
    const token = jsonwebtoken.sign({}, this.secret.key, {
      algorithm: 'HS256',
      keyid: this.secret.kid,
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
  const { kid, key } = secretKeys([secret])[0]!;
  return jsonwebtoken.sign({}, key, {
    algorithm: 'HS256',
    keyid: kid,
    issuer: operatorName,
    audience: operatorAudience,
    expiresIn: lifetimeSeconds,
  });
}

export interface TokenSecrets {
  serviceSecrets: readonly string[];
  operatorSecrets: readonly string[];
}

interface VerificationKey extends SecretKey {
  isOperator: boolean;
}

/** Which key must have signed a service or operator token presented to one service, and what its claims then say. */
export class ServiceTokenKeys {
  private readonly keys: VerificationKey[];

  constructor(
    private readonly audience: string,
    secrets: TokenSecrets,
  ) {
    this.keys = [
      ...secretKeys(secrets.serviceSecrets).map(key => ({ ...key, isOperator: false })),
      ...secretKeys(secrets.operatorSecrets).map(key => ({ ...key, isOperator: true })),
    ];
  }

  get audiences(): [string, string] {
    return [this.audience, operatorAudience];
  }

  /** The key a token says it was signed with, or undefined when there is no such key. */
  keyFor(token: string): KeyObject | undefined {
    const decoded = jsonwebtoken.decode(token, { complete: true });
    return decoded ? this.find(decoded)?.key : undefined;
  }

  /** The caller's name (`operator` for operators) of a token whose signature and times have been verified; undefined for a claim that does not fit its key. */
  callerOf(token: jsonwebtoken.Jwt): string | undefined {
    const { iss, aud, exp } = token.payload as jsonwebtoken.JwtPayload;
    const isOperator = this.find(token)?.isOperator ?? false;
    // A service secret must not be able to mint an operator, nor the reverse (T-27).
    const fits = (iss === operatorName) === isOperator && aud === (isOperator ? operatorAudience : this.audience);
    return fits && exp !== undefined ? iss : undefined;
  }

  /** By key id; a token made by hand may leave it out and is then held against the first secret of its kind. */
  private find({ header, payload }: jsonwebtoken.Jwt): VerificationKey | undefined {
    if (header.kid !== undefined) return this.keys.find(key => key.kid === header.kid);
    const isOperator = typeof payload === 'object' && payload.iss === operatorName;
    return this.keys.find(key => key.isOperator === isOperator);
  }
}
