import { createHash, randomBytes } from 'node:crypto';
import { challengeLifetimeMs, readClientChallenge, readDigest } from './challenge-answer';

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

describe('a client challenge', () => {
  const good = randomBytes(512).toString('base64');

  it('is the base64 of 512 bytes (R-4.1-3)', () => {
    expect(readClientChallenge(good)?.toString('base64')).toBe(good);
  });

  it.each([
    ['A-60 a blank where a raw plus was', ` ${good.slice(1)}`],
    ['511 bytes', randomBytes(511).toString('base64')],
    ['513 bytes', randomBytes(513).toString('base64')],
    ['line breaks', `${good.slice(0, 76)}\n${good.slice(77)}`],
    ['another alphabet', `-${good.slice(1)}`],
    ['nothing', ''],
  ])('%s is refused before any RSA work (T-02)', (_, text) => {
    expect(readClientChallenge(text)).toBeUndefined();
  });

  it('lives 600 s in sandbox and 60 s in production (R-8-2, R-1-3)', () => {
    expect([challengeLifetimeMs('sandbox'), challengeLifetimeMs('production')]).toEqual([600_000, 60_000]);
  });
});
