import { createPrivateKey, createSecretKey, generateKeyPair, type JsonWebKey, type KeyObject, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { generateRsa4096KeyPair } from '@paycode/crypto';

/**
 * ACCESS signs access tokens (HS256: auth-session alone issues and verifies them), IDENTITY signs assertions (ES256), CHALLENGE decrypts client
 * challenges and does nothing else (T-01), from DECOY_SECRET the decoys of identities without a key are derived.
 */
export type KeyUse = 'ACCESS' | 'IDENTITY' | 'CHALLENGE' | 'DECOY_SECRET';

export interface StoredKey {
  kid: string;
  use: KeyUse;
  jwk: JsonWebKey;
}

export interface LoadedKey {
  kid: string;
  /** Secret for ACCESS and DECOY_SECRET, private for IDENTITY and CHALLENGE. */
  key: KeyObject;
}

export function loadKey({ kid, use, jwk }: StoredKey): LoadedKey {
  const isSecret = use === 'ACCESS' || use === 'DECOY_SECRET';
  const key = isSecret ? createSecretKey(Buffer.from(jwk.k!, 'base64url')) : createPrivateKey({ key: jwk, format: 'jwk' });
  return { kid, key };
}

/** Makes new key material. A CHALLENGE key takes about a second, outside the event loop. */
export const createKey: Record<KeyUse, () => Promise<JsonWebKey>> = {
  ACCESS: async () => ({ kty: 'oct', k: randomBytes(32).toString('base64url') }),
  IDENTITY: async () => (await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })).privateKey.export({ format: 'jwk' }),
  CHALLENGE: async () => (await generateRsa4096KeyPair()).privateKey.export({ format: 'jwk' }),
  DECOY_SECRET: async () => ({ kty: 'oct', k: randomBytes(32).toString('base64url') }),
};
