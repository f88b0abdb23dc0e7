import { constants, verify } from 'node:crypto';
import { parseRsa4096PublicKey } from '@paycode/crypto';

/** What is signed: nothing else that Paycode signs or reads begins so. */
export function keyTrialText(username: string, nonce: string): string {
  return `paycode-key-test ${username} ${nonce}`;
}

/** Whether the private key of the registered one made the signature (RSA PKCS#1 v1.5 with SHA-256: `openssl dgst -sha256 -sign`). */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const key = { key: parseRsa4096PublicKey(publicKey), padding: constants.RSA_PKCS1_PADDING };
  return verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64'));
}
