/** A client's proof in login: both fields are base64 of a SHA-256 digest (R-4.1-5, R-4.1-6). */
export interface ChallengeAnswer {
  /** Names the challenge: hash of the encrypted bytes. */
  base64EncodedChallengeHash: string;
  /** Hash of the decrypted bytes. */
  base64EncodedChallengeResponse: string;
}

const digestBase64 = /^[A-Za-z0-9+/]{43}=$/;

/** The 32 bytes of a digest; undefined for any other text, which cannot answer a challenge. */
export function readDigest(text: string): Buffer | undefined {
  return digestBase64.test(text) ? Buffer.from(text, 'base64') : undefined;
}
