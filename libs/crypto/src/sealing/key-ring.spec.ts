import { inspect } from 'node:util';
import { KeyRing, KeyRingError } from './key-ring';

const first = Buffer.alloc(32, 1).toString('base64');
const second = Buffer.alloc(32, 2).toString('base64');

describe('key ring', () => {
  it('the first key is current, all are found by id', () => {
    const ring = KeyRing.parse(`2025-b:${first}, 2025-a:${second}`);
    expect(ring.currentKid).toBe('2025-b');
    expect(ring.kids).toEqual(['2025-b', '2025-a']);
    expect(ring.current().export()).toEqual(Buffer.alloc(32, 1));
    expect(ring.find('2025-a')!.export()).toEqual(Buffer.alloc(32, 2));
    expect(ring.find('2024-z')).toBeUndefined();
  });

  it('holds up to 16 keys', () => {
    expect(KeyRing.parse(Array.from({ length: 16 }, (_, i) => `k${i}:${first}`).join()).kids).toHaveLength(16);
  });

  it('accepts base64url too', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    expect(
      KeyRing.parse(`k:${bytes.toString('base64url')}`)
        .current()
        .export(),
    ).toEqual(bytes);
  });

  const short = Buffer.alloc(16, 3).toString('base64');
  it.each([
    ['', 'no key given; expected kid:base64[,kid:base64]'],
    [' ', 'no key given; expected kid:base64[,kid:base64]'],
    [first, 'key 1: expected kid:base64 where kid is 1 to 32 of A-Z a-z 0-9 _ -'],
    [`:${first}`, 'key 1: expected kid:base64 where kid is 1 to 32 of A-Z a-z 0-9 _ -'],
    [`a.b:${first}`, 'key 1: expected kid:base64 where kid is 1 to 32 of A-Z a-z 0-9 _ -'],
    [`a:${first},`, 'key 2: expected kid:base64 where kid is 1 to 32 of A-Z a-z 0-9 _ -'],
    [`a:${first},b:${short}`, 'key 2 (b): expected the base64 of 32 bytes'],
    [`a:${first.slice(0, -2)}*=`, 'key 1 (a): expected the base64 of 32 bytes'],
    [`a:${first},a:${second}`, 'key id a appears twice'],
    [Array.from({ length: 17 }, (_, i) => `k${i}:${first}`).join(), 'more than 16 keys'],
  ])('the error of a malformed ring names the defect and never shows a key', (text, message) => {
    expect(() => KeyRing.parse(text)).toThrow(new KeyRingError(message));
  });

  it('printing a ring shows ids, never keys (T-17)', () => {
    const ring = KeyRing.parse(`a:${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`);
    expect(JSON.stringify(ring)).toBe('{"currentKid":"a","kids":["a"]}');
    expect(inspect(ring, { depth: 9 })).not.toMatch(/0123456789abcdef|MDEyMzQ1/);
  });
});
