import { randomUUID } from 'node:crypto';
import { type MutualTls, ReloadedFile } from '@paycode/service-runtime';
import jsonwebtoken from 'jsonwebtoken';
import {
  type PublishedKey,
  publishedKeysOf,
  serviceNames,
  serviceTokenType,
  type SigningKey,
  signingKeyOf,
  tokenAlgorithm,
} from './token-keys';

/** Life of a service token, in seconds (architecture: internal calls). */
export const serviceTokenLifetimeS = 60;
/** A cached token is replaced when less than this is left, in seconds. */
const renewBeforeS = 10;

export interface ServiceTokenSignerOptions {
  /** PEM file with the service's own private key; read again when it changes. */
  privateKeyFile: string;
  /** JWKS file with the keys that other services use to verify; read again when it changes. */
  servicePublicKeysFile: string;
  /** The certificate for calls to other services; without it calls use plain HTTP. */
  mutualTls?: MutualTls | undefined;
  /** Called when a file has become unusable; its previous content stays in use. */
  onRefused?: (error: Error) => void;
}

/**
 * Signs the tokens one service sends to others: ES256 with its own key, issuer = caller, audience = callee, 60 s, reused for 50 s. A new
 * key signs after it is published. Until then nobody could verify its tokens, so the previous key signs.
 */
export class ServiceTokenSigner {
  private readonly privateKey: ReloadedFile<SigningKey>;
  private readonly published: ReloadedFile<ReadonlyMap<string, PublishedKey>>;
  readonly mutualTls: MutualTls | undefined;
  private inUse: SigningKey;
  private readonly cache = new Map<string, { token: string; staleAt: number }>();

  /** @throws Error when a file is not usable, or the key is not among the published ones */
  constructor(
    private readonly issuer: string,
    { privateKeyFile, servicePublicKeysFile, mutualTls, onRefused }: ServiceTokenSignerOptions,
  ) {
    this.mutualTls = mutualTls;
    this.privateKey = new ReloadedFile(privateKeyFile, pem => signingKeyOf(issuer, pem), { onRefused });
    this.published = new ReloadedFile(servicePublicKeysFile, text => publishedKeysOf(text, serviceNames), { onRefused });
    this.inUse = this.privateKey.value;
    if (this.isPublished(this.inUse)) return;
    throw new Error(`${servicePublicKeysFile} lacks ${this.inUse.kid}, the key of ${privateKeyFile}`);
  }

  tokenFor(audience: string): string {
    const nowS = Math.floor(Date.now() / 1_000);
    const cached = this.cache.get(audience);
    if (cached && cached.staleAt > nowS) return cached.token;
    const token = this.sign({}, { type: serviceTokenType, audience, lifetimeS: serviceTokenLifetimeS });
    this.cache.set(audience, { token, staleAt: nowS + serviceTokenLifetimeS - renewBeforeS });
    return token;
  }

  /** Any token by the key of this service. Its `type` keeps it from being accepted as another. */
  sign(claims: object, { type, audience, lifetimeS }: { type: string; audience: string; lifetimeS: number }): string {
    const { kid, privateKey } = this.currentKey();
    return jsonwebtoken.sign(claims, privateKey, {
      algorithm: tokenAlgorithm,
      keyid: kid,
      header: { alg: tokenAlgorithm, typ: type },
      issuer: this.issuer,
      audience,
      expiresIn: lifetimeS,
      jwtid: randomUUID(),
    });
  }

  private currentKey(): SigningKey {
    const latest = this.privateKey.value;
    if (latest.kid !== this.inUse.kid && this.isPublished(latest)) this.inUse = latest;
    return this.inUse;
  }

  private isPublished({ kid }: SigningKey): boolean {
    return this.published.value.has(kid);
  }
}
