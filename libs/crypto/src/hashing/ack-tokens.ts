import { createHmac, createPrivateKey, createSecretKey, hash, hkdfSync, type KeyObject } from 'node:crypto';

const purpose = 'paycode AckReceived 1';
/** 128 bits: nobody guesses one. */
const tokenBytes = 16;

/**
 * Proof that an AckReceived was written by the dispatcher that armed the payment (T-18). Arming gives the scheduler the hash of a payment's token;
 * AckReceived carries the token itself, and only who has the key can make it. The key is derived from the private key of the service, so that all
 * replicas have the same and nothing is stored.
 */
export class AckTokens {
  /** Node makes one of a buffer for every token, which takes four times as long as the token. */
  private readonly key: KeyObject;

  /** `key`: 32 random bytes. */
  constructor(key: Buffer) {
    this.key = createSecretKey(key);
  }

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
