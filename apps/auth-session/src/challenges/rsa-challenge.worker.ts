// Runs in worker threads: RSA-4096 decryption takes milliseconds of CPU, which the event loop must not spend (T-02).
import { type KeyObject, randomBytes } from 'node:crypto';
import { decryptOaepSha1, encryptOaepSha1, parseRsa4096PublicKey, sha256, sha256Base64 } from '@paycode/crypto';
import { challengeBytes } from './domain/challenge-answer';

/**
 * Proof that the service holds the private key (R-2.3-3), or null when the ciphertext does not decrypt to 64 bytes. The caller cannot see
 * the cause (T-01).
 */
export function prove(task: { privateKey: KeyObject; ciphertext: Uint8Array }): string | null {
  const plaintext = decryptOaepSha1(task.privateKey, Buffer.from(task.ciphertext));
  return plaintext?.length === challengeBytes ? sha256Base64(plaintext) : null;
}

/**
 * 64 random bytes encrypted to the client, and the digest the client must answer with. The plaintext never leaves the thread. The
 * key is parsed from its text each time, so that a key that was used before does not answer faster (T-06).
 */
export function challenge(task: { publicKey: string }): { encrypted: Uint8Array; responseHash: Uint8Array } {
  const plaintext = randomBytes(challengeBytes);
  return { encrypted: encryptOaepSha1(parseRsa4096PublicKey(task.publicKey), plaintext), responseHash: sha256(plaintext) };
}
