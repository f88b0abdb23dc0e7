import { hash, randomBytes, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type KeyRing, PayloadSealer } from '@paycode/crypto';
import { Secret, TOTP } from 'otpauth';

/** Tables keep this hash of a random secret, so that a reader of the table cannot use the secret. */
export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** 256 bits, in 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

const recoveryCodes = 10;
/** Without letters and digits that look alike. */
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
export const recoveryChars = 16;

/** Each stands in once for an app or a passkey that is lost. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () =>
    Array.from({ length: recoveryChars }, () => recoveryAlphabet[randomInt(recoveryAlphabet.length)]).join(''),
  );
}

const periodS = 30;
const secretBytes = 20;
/** Steps a code may be early or late: clocks of phones. */
const window = 1;

/** One-time codes of authenticator apps (RFC 6238: SHA-1, six digits, 30 s), which all of them read. */
@Injectable()
export class Totp {
  private readonly sealer: PayloadSealer;

  constructor(keys: KeyRing) {
    this.sealer = new PayloadSealer(keys);
  }

  /** A new secret: sealed for the table, and as the URL that apps read. */
  create(email: string): { sealed: string; url: string; secret: string } {
    const secret = new Secret({ size: secretBytes });
    return { sealed: this.sealer.seal(secret.base32), url: this.of(secret, email).toString(), secret: secret.base32 };
  }

  /** The step whose code this is; null when it is none of those that count now. */
  stepOf(sealed: string, code: string, nowMs: number): number | null {
    const secret = Secret.fromBase32(this.sealer.openText(sealed));
    const delta = this.of(secret, '').validate({ token: code, window, timestamp: nowMs });
    return delta === null ? null : Math.floor(nowMs / 1_000 / periodS) + delta;
  }

  private of(secret: Secret, label: string): TOTP {
    return new TOTP({ issuer: 'Paycode', label, algorithm: 'SHA1', digits: 6, period: periodS, secret });
  }
}
