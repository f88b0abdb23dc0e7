import { randomNonce } from './random-nonce';

describe('random nonces (T-23)', () => {
  it('a million nonces of 96 bits all differ', () => {
    const seen = new Set<string>();
    for (let i = 0; i < 1_000_000; i += 1) seen.add(randomNonce().toString('latin1'));
    expect(seen.size).toBe(1_000_000);
    expect(seen.values().next().value).toHaveLength(12);
  });

  it('a nonce keeps its bytes when the next block is drawn', () => {
    const nonce = randomNonce();
    const before = nonce.toString('hex');
    for (let i = 0; i < 3_000; i += 1) randomNonce();
    expect(nonce.toString('hex')).toBe(before);
  });
});
