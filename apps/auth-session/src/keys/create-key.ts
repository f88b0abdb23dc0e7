import { generateKeyPair, type JsonWebKey, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { generateRsa4096KeyPair } from '@paycode/crypto';
import type { KeyUse } from './key-material';

/** Makes new key material. A CHALLENGE key takes about a second, outside the event loop. */
export const createKey: Record<KeyUse, () => Promise<JsonWebKey>> = {
  ACCESS: async () => ({ kty: 'oct', k: randomBytes(32).toString('base64url') }),
  IDENTITY: async () => (await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })).privateKey.export({ format: 'jwk' }),
  CHALLENGE: async () => (await generateRsa4096KeyPair()).privateKey.export({ format: 'jwk' }),
  DECOY_SECRET: async () => ({ kty: 'oct', k: randomBytes(32).toString('base64url') }),
};
