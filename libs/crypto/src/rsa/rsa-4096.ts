import { constants, createPublicKey, generateKeyPair, privateDecrypt, publicEncrypt, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** Modulus length every challenge key must have (R-5.3-1, R-8-4). */
export const rsaModulusBits = 4096;
/** Length of every ciphertext under such a key; check it before any RSA work (T-02). */
export const rsaCiphertextBytes = rsaModulusBits / 8;

// RSA/ECB/OAEPWithSHA-1AndMGF1Padding (R-5.3-2): SHA-1 for the label hash and, as OpenSSL takes it over from there, for MGF1.
// Only this line changes when SHA-1 is replaced (T-03).
const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' } as const;

const encodedKeyCharsMax = 2048;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const exponentMax = 0xffff_ffffn;

/** The text is not an RSA-4096 public key in the accepted form. */
export class UnsupportedPublicKeyError extends Error {
  override readonly name = 'UnsupportedPublicKeyError';
}

/**
 * Reads the base64 of an X.509 SubjectPublicKeyInfo (line breaks allowed) and insists on RSA with 4096 bits.
 * @throws UnsupportedPublicKeyError
 */
export function parseRsa4096PublicKey(encoded: string): KeyObject {
  const text = encoded.length <= encodedKeyCharsMax ? encoded.replace(/\s+/g, '') : '';
  if (!base64.test(text)) throw new UnsupportedPublicKeyError('expected the base64 of an X.509 public key');
  const key = readSpki(Buffer.from(text, 'base64'));
  const complaint = complaintAbout(key);
  if (complaint !== null) throw new UnsupportedPublicKeyError(complaint);
  return key;
}

/** The base64 X.509 text that `parseRsa4096PublicKey` reads; takes a public or a private key. */
export function exportRsaPublicKey(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
}

/** Makes a new RSA-4096 pair; takes about a second, outside the event loop. */
export function generateRsa4096KeyPair(): Promise<{ publicKey: KeyObject; privateKey: KeyObject }> {
  return promisify(generateKeyPair)('rsa', { modulusLength: rsaModulusBits });
}

/** 512 bytes of ciphertext. */
export function encryptOaepSha1(publicKey: KeyObject, plaintext: Buffer): Buffer {
  return publicEncrypt({ key: publicKey, ...oaep }, plaintext);
}

/**
 * The plaintext, or null for *every* failure: a caller that cannot tell causes apart cannot leak them (T-01). Costs about 5 ms
 * of CPU: run it on a worker thread (T-02).
 */
export function decryptOaepSha1(privateKey: KeyObject, ciphertext: Buffer): Buffer | null {
  if (ciphertext.length !== rsaCiphertextBytes) return null;
  try {
    return privateDecrypt({ key: privateKey, ...oaep }, ciphertext);
  } catch {
    return null;
  }
}

function complaintAbout(key: KeyObject): string | null {
  const { modulusLength, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType !== 'rsa') return 'expected an RSA key';
  if (modulusLength !== rsaModulusBits) return `expected an RSA key of ${rsaModulusBits} bits`;
  // A huge exponent would make every encryption to this key as expensive as a decryption.
  const isUsual = publicExponent >= 3n && publicExponent <= exponentMax;
  return isUsual ? null : 'unusual RSA public exponent';
}

function readSpki(der: Buffer): KeyObject {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch (cause) {
    throw new UnsupportedPublicKeyError('expected the base64 of an X.509 public key', { cause });
  }
}
