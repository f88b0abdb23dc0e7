import { guessKeys } from './guess-keys';
import { guesserOf } from './guesser-of';

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
