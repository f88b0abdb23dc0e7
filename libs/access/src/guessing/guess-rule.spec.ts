import fc from 'fast-check';
import { blockedUntilMs, guesserOf, guessKeys, retryAfterS } from './guess-rule';

const rule = { freeTries: 5, delayFirstMs: 1_000, delayMaxMs: 60_000, memoryMs: 900_000, memorySince: 'LAST_TRY' } as const;
const countOf = (failures: number) => ({ failures, lastFailedAtMs: 10_000, forgetAtMs: 910_000 });
const delayAfter = (failures: number) => Math.max(0, blockedUntilMs(countOf(failures), rule) - 10_000);

describe('the delay after wrong credentials (T-05)', () => {
  it('is nothing at first, then doubles', () => {
    expect([1, 5, 6, 7, 8, 11, 12, 13].map(delayAfter)).toEqual([0, 0, 1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
  });

  it('never grows into a lock, whatever the number of failures', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), failures => expect(delayAfter(failures)).toBeLessThanOrEqual(60_000)),
    );
  });

  it('never shrinks with one more failure', () => {
    fc.assert(
      fc.property(fc.nat(5_000), failures => expect(delayAfter(failures + 1)).toBeGreaterThanOrEqual(delayAfter(failures))),
    );
  });

  it('ends when the count is forgotten', () => {
    expect(blockedUntilMs({ ...countOf(11), forgetAtMs: 20_000 }, rule)).toBe(20_000);
  });

  it('is given in whole seconds, rounded up, at least one', () => {
    expect([1_000, 1_500, 3_000, 3_001].map(untilMs => retryAfterS(untilMs, 1_000))).toEqual([1, 1, 2, 3]);
  });
});

describe('the keys that count guesses (T-05)', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '8193:3512:1:2'],
    ['2001:db8:1:2::ffff', '8193:3512:1:2'],
    ['not an address', 'not an address'],
  ])('%s is %s: an IPv6 host owns its whole /64', (address, guesser) => {
    expect(guesserOf(address)).toBe(guesser);
  });

  it('identity and address cannot be shifted into each other', () => {
    expect(guessKeys.pair('a', 'b,c').equals(guessKeys.pair('a,b', 'c'))).toBe(false);
  });

  it('the identity cannot be read from the key (T-17)', () => {
    expect(guessKeys.pair('my-password', '203.0.113.7').toString('latin1')).not.toContain('my-password');
  });
});
