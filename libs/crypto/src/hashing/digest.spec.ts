import fc from 'fast-check';
import { constantTimeEqual, sha256, sha256Base64, ackTokenHash, AckTokens } from './digest';
import { generateKeyPairSync } from 'node:crypto';

describe('digests', () => {
  it('SHA-256 in base64 of text and bytes (FIPS 180-4 example "abc")', () => {
    expect(sha256Base64('abc')).toBe('ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=');
    expect(sha256Base64(Buffer.from('abc'))).toBe(sha256Base64('abc'));
    expect(sha256('abc').toString('base64')).toBe(sha256Base64('abc'));
  });

  it('equality of secrets is equality, also for different lengths (T-07)', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => constantTimeEqual(a, b) === (a === b)));
    fc.assert(fc.property(fc.string(), a => constantTimeEqual(a, Buffer.from(a, 'utf8'))));
    expect(constantTimeEqual('', 'a')).toBe(false);
  });
});

const newKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('tokens of acknowledgements (T-18)', () => {
  const key = newKey();
  const tokens = AckTokens.of(key);

  it('are 22 characters, the same in every replica with that key, and different for each transaction and key', () => {
    expect(tokens.tokenOf(1)).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(AckTokens.of(key).tokenOf(1)).toBe(tokens.tokenOf(1));
    const all = [1, 2, 11, 21].flatMap(id => [tokens.tokenOf(id), AckTokens.of(newKey()).tokenOf(id)]);
    expect(new Set(all).size).toBe(all.length);
  });

  it('are shown to nobody by their hash', () => {
    expect(tokens.hashOf(1)).toBe(ackTokenHash(tokens.tokenOf(1)));
    expect(tokens.hashOf(1)).toMatch(/^[0-9a-f]{32}$/);
  });
});
