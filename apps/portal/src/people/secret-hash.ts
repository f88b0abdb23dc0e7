import { hash, randomBytes } from 'node:crypto';

/** What a table keeps of a random secret: it cannot be used by whoever reads the table. */
export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** 256 bits, in 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
