import { randomBytes } from 'node:crypto';
import { challengeLifetimeMs, readClientChallenge } from './client-challenge';

describe('a client challenge', () => {
  const good = randomBytes(512).toString('base64');

  it('R-4.1-3: is the base64 of 512 bytes', () => {
    expect(readClientChallenge(good)?.toString('base64')).toBe(good);
  });

  it.each([
    ['A-60 a blank where a raw plus was', ` ${good.slice(1)}`],
    ['511 bytes', randomBytes(511).toString('base64')],
    ['513 bytes', randomBytes(513).toString('base64')],
    ['line breaks', `${good.slice(0, 76)}\n${good.slice(77)}`],
    ['another alphabet', `-${good.slice(1)}`],
    ['nothing', ''],
  ])('T-02: %s is refused before any RSA work', (_, text) => {
    expect(readClientChallenge(text)).toBeUndefined();
  });

  it('R-8-2 R-1-3: lives 600 s in sandbox and 60 s in production', () => {
    expect([challengeLifetimeMs('sandbox'), challengeLifetimeMs('production')]).toEqual([600_000, 60_000]);
  });
});
