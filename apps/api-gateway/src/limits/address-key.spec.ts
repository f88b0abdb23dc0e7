import { addressKey } from './rate-limits';

describe('the key under which limits count a client', () => {
  it.each([
    ['2001:db8:0:1::1', '2001:db8:0:1:ffff::4', true],
    ['2001:db8:0:1::1', '2001:db8:0:2::1', false],
    ['198.51.100.7', '198.51.100.8', false],
    ['198.51.100.7', '198.51.100.7', true],
  ])('%s and %s have the same key: %s (T-05, T-30)', (one, other, isSame) => {
    expect(addressKey(one) === addressKey(other)).toBe(isSame);
  });
});
