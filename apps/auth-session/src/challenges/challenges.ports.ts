import type { KeyObject } from 'node:crypto';

export interface StoredChallenge {
  /** SHA-256 of the encrypted challenge. */
  challengeHash: Buffer;
  /** SHA-256 of the plaintext. */
  responseHash: Buffer;
  /** SHA-256 of the identity as it was sent. */
  identityHash: Buffer;
  /** For an operator who investigates a flood; no decision uses it. */
  address: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Challenges shared by all replicas. */
export abstract class ChallengeStore {
  abstract add(challenge: StoredChallenge): Promise<void>;
  /** Removes and returns the challenge with that hash; only one caller ever gets it. */
  abstract take(challengeHash: Buffer): Promise<StoredChallenge | undefined>;
}

/** A new challenge to a client: 64 random bytes, which never leave the worker thread. */
export interface FreshChallenge {
  encrypted: Buffer;
  /** SHA-256 of the plaintext. */
  responseHash: Buffer;
}

/** RSA work outside the event loop, in a bounded amount. Rejects with DomainError 429 when the queue is full (T-02). */
export abstract class RsaWorkers {
  /** base64(SHA-256(plaintext)) of a client challenge; null for every ciphertext that does not decrypt to 64 bytes (T-01). */
  abstract prove(privateKey: KeyObject, ciphertext: Buffer, address: string): Promise<string | null>;
  /** `publicKey`: base64 of an X.509 RSA-4096 key that was accepted before. */
  abstract challenge(publicKey: string, address: string): Promise<FreshChallenge>;
}
