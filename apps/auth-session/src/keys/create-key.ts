import { generateKeyPair, type JsonWebKey, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { generateRsa4096KeyPair, rsaModulusBits } from '@paycode/crypto';
import type { KeyUse } from './key-material';

/** New key material. A CHALLENGE key takes about a second, off the event loop. */
export const createKey: Record<KeyUse, () => Promise<JsonWebKey>> = {
  ACCESS: async () => ({ kty: 'oct', k: randomBytes(32).toString('base64url') }),
  IDENTITY: async () => (await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })).privateKey.export({ format: 'jwk' }),
  CHALLENGE: async () => (await generateRsa4096KeyPair()).privateKey.export({ format: 'jwk' }),
  DECOY: async () => ({ kty: 'RSA', n: randomModulus().toString('base64url'), e: 'AQAB' }),
};

/**
 * A number that looks and costs like an RSA modulus. Nobody knows its factors, not even we: what is encrypted under it can never
 * be decrypted, and there is no private key to keep.
 */
function randomModulus(): Buffer {
  const modulus = randomBytes(rsaModulusBits / 8);
  modulus[0]! |= 0b1100_0000; // full length, as real moduli have it
  modulus[modulus.length - 1]! |= 1; // odd
  return modulus;
}
