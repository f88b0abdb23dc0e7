import fc from 'fast-check';
import { constantTimeEqual, sha256, sha256Base64 } from './digest';

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
