import { createPrivateKey, createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto';

/**
 * ACCESS signs access tokens (HS256: auth-session alone issues and verifies them), IDENTITY signs assertions (ES256),
 * CHALLENGE decrypts client challenges and does nothing else (T-01), DECOY encrypts what nobody can decrypt.
 */
export type KeyUse = 'ACCESS' | 'IDENTITY' | 'CHALLENGE' | 'DECOY';

export interface StoredKey {
  kid: string;
  use: KeyUse;
  jwk: JsonWebKey;
}

export interface LoadedKey {
  kid: string;
  /** Secret for ACCESS, private for IDENTITY and CHALLENGE, public for DECOY. */
  key: KeyObject;
}

export function loadKey({ kid, use, jwk }: StoredKey): LoadedKey {
  if (use === 'ACCESS') return { kid, key: createSecretKey(Buffer.from(jwk.k!, 'base64url')) };
  const input = { key: jwk, format: 'jwk' } as const;
  return { kid, key: use === 'DECOY' ? createPublicKey(input) : createPrivateKey(input) };
}
