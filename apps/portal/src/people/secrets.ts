import { argon2, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type KeyRing, PayloadSealer } from '@paycode/crypto';
import { DomainError } from '@paycode/service-runtime';
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

/** OWASP's second choice: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;
/** Hashings at once, and waiting for their turn: each holds 19 MiB and a thread. */
const runningMax = 2;
const waitingMax = 64;

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

/** Passwords of people as argon2id in the PHC string format, which every other library reads as well. */
@Injectable()
export class Passwords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  /** Hash to compare with when there is no such person, so that the check takes as long as for one that exists (T-06). */
  private readonly nobody = this.encode(randomBytes(saltBytes), randomBytes(tagBytes));

  /** @throws DomainError 503 when too many wait */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    return this.encode(salt, await this.tagOf(password, salt, cost));
  }

  /** Takes as long for a person who does not exist. @throws DomainError 503 when too many wait */
  async isRight(password: string, hash: string | null): Promise<boolean> {
    const [, memory, passes, parallelism, salt, tag] = phc.exec(hash ?? this.nobody)!;
    const of = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
    const made = await this.tagOf(password, Buffer.from(salt!, 'base64'), of);
    const isSame = timingSafeEqual(made, Buffer.from(tag!, 'base64'));
    return isSame && hash !== null;
  }

  private async tagOf(password: string, nonce: Buffer, { memory, passes, parallelism }: Cost): Promise<Buffer> {
    await this.turn();
    try {
      const message = Buffer.from(password.normalize('NFC'), 'utf8');
      return await new Promise<Buffer>((resolve, reject) =>
        argon2('argon2id', { message, nonce, parallelism, tagLength: tagBytes, memory, passes }, (error, tag) =>
          error ? reject(error) : resolve(tag as Buffer),
        ),
      );
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }

  private async turn(): Promise<void> {
    if (this.running >= runningMax) {
      if (this.waiting.length >= waitingMax)
        throw new DomainError({
          status: 503,
          reason: 'PASSWORDS_BUSY',
          message: 'too many people sign in',
          headers: { 'retry-after': '2' },
        });
      await new Promise<void>(resolve => this.waiting.push(resolve));
    }
    this.running += 1;
  }

  private encode(salt: Buffer, tag: Buffer): string {
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${text(salt)}$${text(tag)}`;
  }
}
