import { createHash, hash, timingSafeEqual, createHmac, createPrivateKey, hkdfSync } from 'node:crypto';

/** base64(SHA-256(input)); text is hashed as UTF-8 (R-2.3-3, R-4.1-5, R-4.1-6). */
export function sha256Base64(input: string | Buffer): string {
  return hash('sha256', input, 'base64');
}

export function sha256(input: string | Buffer): Buffer {
  return createHash('sha256').update(input).digest();
}

/** Whether both are equal. It compares fixed-length digests, so the time depends on neither (T-07). */
export function constantTimeEqual(left: string | Buffer, right: string | Buffer): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}

const purpose = 'paycode AckReceived 1';
/** 128 bits: nobody guesses one. */
const tokenBytes = 16;

/**
 * Proof that an AckReceived was written by the dispatcher that armed the payment (T-18). Arming gives the scheduler the hash of a payment's token;
 * AckReceived carries the token itself, and only who has the key can make it. The key is derived from the private key of the service, so that all
 * replicas have the same and nothing is stored.
 */
export class AckTokens {
  /** `key`: 32 random bytes. */
  constructor(private readonly key: Buffer) {}

  /** `privateKey`: PEM. @throws Error when it is none */
  static of(privateKey: string): AckTokens {
    const secret = createPrivateKey(privateKey).export({ type: 'pkcs8', format: 'der' });
    return new AckTokens(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  }

  tokenOf(transactionId: number): string {
    const mac = createHmac('sha256', this.key).update(String(transactionId)).digest();
    return mac.subarray(0, tokenBytes).toString('base64url');
  }

  hashOf(transactionId: number): string {
    return ackTokenHash(this.tokenOf(transactionId));
  }
}

/** 32 hexadecimal digits. */
export function ackTokenHash(token: string): string {
  return hash('sha256', token, 'hex').slice(0, 2 * tokenBytes);
}
