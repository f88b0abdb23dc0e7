import { createHmac } from 'node:crypto';
import { KeyRing } from '../sealing/key-ring';
import { ApiPasswordHasher, generateApiPassword, isGeneratedApiPassword } from './api-password-hasher';

const [p1, p2] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
let hasher: ApiPasswordHasher;
let rotated: ApiPasswordHasher;

beforeEach(() => {
  hasher = new ApiPasswordHasher(KeyRing.parse(`p1:${p1.toString('base64')}`));
  rotated = new ApiPasswordHasher(KeyRing.parse(`p2:${p2.toString('base64')},p1:${p1.toString('base64')}`));
});

describe('API passwords (T-04)', () => {
  it('a generated password has at least 128 random bits and never repeats', () => {
    const passwords = new Set(Array.from({ length: 1_000 }, generateApiPassword));
    expect(passwords.size).toBe(1_000);
    for (const password of passwords) expect(password).toMatch(/^[A-Za-z0-9_-]{27}$/);
  });

  it('a generated password is recognised by its form', () => {
    expect(isGeneratedApiPassword(generateApiPassword())).toBe(true);
    const others = ['', 'x'.repeat(26), 'x'.repeat(28), `${'x'.repeat(26)}+`, `${'x'.repeat(27)}\n`];
    expect(others.filter(isGeneratedApiPassword)).toEqual([]);
  });

  it('a text of another scheme never verifies, however good the rest', () => {
    expect(hasher.verify('secret', hasher.hash('secret').replace('hmac-sha256', 'hmac-sha1'))).toBe(false);
  });

  it('only the right password verifies', () => {
    const stored = hasher.hash('correct');
    expect(hasher.verify('correct', stored)).toBe(true);
    expect(hasher.verify('Correct', stored)).toBe(false);
    expect(hasher.verify('', stored)).toBe(false);
  });

  it('two accounts with one password store different texts, and none contains it', () => {
    const [a, b] = [hasher.hash('same-password'), hasher.hash('same-password')];
    expect(a).not.toBe(b);
    expect(a).not.toContain('same-password');
  });

  it('the stored text is HMAC-SHA-256 under the pepper over salt and password', () => {
    const [, kid, salt, mac] = hasher.hash('x').split('.');
    expect(kid).toBe('p1');
    const expected = createHmac('sha256', p1).update(Buffer.from(salt!, 'base64url')).update('x').digest('base64url');
    expect(mac).toBe(expected);
  });

  it('a pepper rotates: old texts verify until it is removed', () => {
    const stored = hasher.hash('secret');
    expect(rotated.verify('secret', stored)).toBe(true);
    expect(rotated.hash('secret')).toContain('hmac-sha256.p2.');
    expect(hasher.verify('secret', rotated.hash('secret'))).toBe(false);
  });

  it('a text under a former pepper is recognised', () => {
    const stored = hasher.hash('secret');
    expect([hasher.isCurrent(stored), rotated.isCurrent(stored), rotated.isCurrent(rotated.hash('secret'))]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('an unknown account answers false, never an error (T-06)', () => {
    expect(hasher.verify('anything', null)).toBe(false);
  });

  it.each(['', 'plain', 'hmac-sha256.p1.AAAA', 'hmac-sha256.p1.AAAA.AAAA', 'argon2.p1.AAAA.AAAA'])(
    'a damaged text %j never verifies',
    stored => {
      expect(hasher.verify('anything', stored)).toBe(false);
    },
  );
});
