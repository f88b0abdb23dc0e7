import { createHash } from 'node:crypto';
import { readDigest } from './challenge-answer';

describe('the answer to a challenge', () => {
  const digest = createHash('sha256').update('challenge').digest();
  const text = digest.toString('base64');

  describe('as in R-4.1-5, R-4.1-6', () => {
    it('is the base64 of a SHA-256 digest', () => {
      expect(readDigest(text)).toEqual(digest);
    });
  });

  it.each([
    ['nothing', ''],
    ['31 bytes', digest.subarray(1).toString('base64')],
    ['33 bytes', Buffer.concat([digest, digest.subarray(0, 1)]).toString('base64')],
    ['text before it', `a${text}`],
    ['text after it', `${text}a`],
    ['another alphabet', `-${text.slice(1)}`],
    ['hexadecimal', digest.toString('hex')],
  ])('%s answers no challenge (R-4.1-5)', (_, other) => {
    expect(readDigest(other)).toBeUndefined();
  });
});
