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

// 512 bytes are 683 characters and one `=`. A raw `+` in the query arrives as a blank and fails here.
const rsa4096Base64 = /^[A-Za-z0-9+/]{683}=$/;

/** Plaintext length of challenges in both directions, in bytes (R-4.1-3, A-36). */
export const challengeBytes = 64;

/** The 512 encrypted bytes of a `clientChallenge`; undefined for anything of another form, before any RSA work (T-02). */
export function readClientChallenge(text: string): Buffer | undefined {
  return rsa4096Base64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** Time to log in with a challenge, in milliseconds (R-8-2). */
export function challengeLifetimeMs(environment: 'sandbox' | 'production'): number {
  return environment === 'production' ? 60_000 : 600_000;
}
