import { createHash, hash, timingSafeEqual } from 'node:crypto';

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
