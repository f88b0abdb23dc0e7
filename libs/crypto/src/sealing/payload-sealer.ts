import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { gcmNonceBytes, randomNonce } from '../random/random-nonce';
import type { KeyRing } from './key-ring';

/** Longest JWE that `open` accepts, in characters; a notification with two 4 KiB addresses is much shorter. */
export const sealedPayloadCharsMax = 64 * 1024;

const tagBytes = 16;
const headerCharsMax = 512;

/** Why a sealed payload could not be opened. The message carries no payload data, so it may be logged and put into a dead letter. */
export class SealedPayloadError extends Error {
  override readonly name = 'SealedPayloadError';

  constructor(
    readonly code: 'MALFORMED' | 'UNSUPPORTED' | 'UNKNOWN_KEY' | 'NOT_AUTHENTIC',
    options?: { cause?: unknown },
  ) {
    super(`sealed payload: ${code}`, options);
  }
}

interface ProtectedHeader {
  key: KeyObject;
}

/**
 * Seals notification JSON as compact JWE (RFC 7516): `dir`, `A256GCM`, `kid`. It uses node:crypto, because the hot path needs
 * synchronous code; any JOSE library can read and write the result. The current key of the ring seals, every key opens.
 */
export class PayloadSealer {
  /** Headers this process has written or verified already, by their base64url text; bounded by the ring. */
  private readonly headers = new Map<string, ProtectedHeader>();
  private readonly currentHeader: string;

  constructor(private readonly ring: KeyRing) {
    for (const kid of ring.kids) this.headers.set(encodeHeader(kid), { key: ring.find(kid)! });
    this.currentHeader = encodeHeader(ring.currentKid);
  }

  /** Compact JWE of the UTF-8 text. */
  seal(plaintext: string | Buffer): string {
    const iv = randomNonce();
    const cipher = createCipheriv('aes-256-gcm', this.ring.current(), iv);
    cipher.setAAD(Buffer.from(this.currentHeader, 'ascii'));
    const ciphertext = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
    cipher.final();
    const tag = cipher.getAuthTag().toString('base64url');
    return `${this.currentHeader}..${iv.toString('base64url')}.${ciphertext.toString('base64url')}.${tag}`;
  }

  /** The sealed bytes. @throws SealedPayloadError */
  open(jwe: string): Buffer {
    const { header, iv, ciphertext, tag } = split(jwe);
    const { key } = this.headers.get(header) ?? this.readHeader(header);
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(header, 'ascii'));
      decipher.setAuthTag(tag);
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    } catch (cause) {
      throw new SealedPayloadError('NOT_AUTHENTIC', { cause });
    }
  }

  /** The sealed UTF-8 text. @throws SealedPayloadError */
  openText(jwe: string): string {
    return this.open(jwe).toString('utf8');
  }

  /**
   * Reads a header of another writer, which may have other member order or spacing. It accepts only `dir` + `A256GCM` without critical
   * members (RFC 8725 3.1).
   */
  private readHeader(encoded: string): ProtectedHeader {
    const header = parseHeader(encoded);
    const isSupported = header.alg === 'dir' && header.enc === 'A256GCM' && !('crit' in header) && !('zip' in header);
    if (!isSupported) throw new SealedPayloadError('UNSUPPORTED');
    const key = typeof header.kid === 'string' ? this.ring.find(header.kid) : undefined;
    if (!key) throw new SealedPayloadError('UNKNOWN_KEY');
    return { key };
  }
}

function encodeHeader(kid: string): string {
  return Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid })).toString('base64url');
}

function parseHeader(encoded: string): Record<string, unknown> {
  if (encoded.length > headerCharsMax) throw new SealedPayloadError('MALFORMED');
  try {
    const header: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
    if (typeof header === 'object' && header !== null && !Array.isArray(header)) return header as Record<string, unknown>;
  } catch (cause) {
    throw new SealedPayloadError('MALFORMED', { cause });
  }
  throw new SealedPayloadError('MALFORMED');
}

function split(jwe: string): { header: string; iv: Buffer; ciphertext: Buffer; tag: Buffer } {
  const parts = jwe.length <= sealedPayloadCharsMax ? jwe.split('.', 6) : [];
  const [header, encryptedKey, iv, ciphertext, tag] = parts;
  // With `dir` the encrypted key is the empty part (RFC 7518 4.5).
  if (parts.length !== 5 || !header || encryptedKey !== '') throw new SealedPayloadError('MALFORMED');
  const decoded = { header, iv: bytes(iv), ciphertext: bytes(ciphertext), tag: bytes(tag) };
  if (decoded.iv.length !== gcmNonceBytes || decoded.tag.length !== tagBytes) throw new SealedPayloadError('MALFORMED');
  return decoded;
}

function bytes(part = ''): Buffer {
  return Buffer.from(part, 'base64url');
}
