import { randomBytes } from 'node:crypto';
import { challengeLifetimeMs, readClientChallenge } from './client-challenge';

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
