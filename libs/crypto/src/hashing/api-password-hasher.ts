import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '../sealing/key-ring';

const version = 'hmac-sha256';
const saltBytes = 16;
const macBytes = 32;
/** 160 random bits: more than the 128 for which a fast keyed hash is enough (T-04). */
const passwordBytes = 20;

/** A new API password: 27 characters of A-Z a-z 0-9 _ -, 160 random bits. */
export function generateApiPassword(): string {
  return randomBytes(passwordBytes).toString('base64url');
}

const generatedForm = /^[A-Za-z0-9_-]{27}$/;

/** Whether the text has the form of a generated password; any other text is wrong or was chosen by a person. */
export function isGeneratedApiPassword(text: string): boolean {
  return generatedForm.test(text);
}

/**
 * Hashes *generated* API passwords as `hmac-sha256.{pepperId}.{base64url(salt)}.{base64url(mac)}` with
 * mac = HMAC-SHA-256(pepper, salt | password). It takes microseconds instead of the 60 to 240 ms of a password hash, which
 * every Basic request would cost (T-04). Do not use it for passwords that people choose.
 */
export class ApiPasswordHasher {
  /** Stored text to check unknown accounts against, so that they cost the same time (T-06). */
  private readonly decoy: string;

  constructor(private readonly peppers: KeyRing) {
    this.decoy = this.hash(generateApiPassword());
  }

  /** The text to store, under the current pepper and a new salt. */
  hash(password: string): string {
    const salt = randomBytes(saltBytes);
    const mac = this.mac(this.peppers.currentKid, salt, password)!;
    return `${version}.${this.peppers.currentKid}.${salt.toString('base64url')}.${mac.toString('base64url')}`;
  }

  /** Whether the password is the stored one. With `stored` null (unknown account) does the same work and answers false. */
  verify(password: string, stored: string | null): boolean {
    const { pepperId, salt, expected } = readStored(stored ?? this.decoy);
    const mac = this.mac(pepperId, salt, password);
    if (!mac || expected.length !== macBytes) return false;
    return timingSafeEqual(mac, expected) && stored !== null;
  }

  /** Whether the stored text is under the current pepper; if not, it can be replaced when the password is next presented. */
  isCurrent(stored: string): boolean {
    return stored.split('.', 2)[1] === this.peppers.currentKid;
  }

  private mac(pepperId: string, salt: Buffer, password: string): Buffer | null {
    const pepper = this.peppers.find(pepperId);
    return pepper ? createHmac('sha256', pepper).update(salt).update(password, 'utf8').digest() : null;
  }
}

/** A damaged text gives a pepper id that does not exist. */
function readStored(stored: string): { pepperId: string; salt: Buffer; expected: Buffer } {
  const [prefix, pepperId = '', salt = '', expected = ''] = stored.split('.', 4);
  return {
    pepperId: prefix === version ? pepperId : '',
    salt: Buffer.from(salt, 'base64url'),
    expected: Buffer.from(expected, 'base64url'),
  };
}
