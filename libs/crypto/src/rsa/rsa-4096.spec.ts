import { constants, createPublicKey, generateKeyPairSync, type KeyObject, privateDecrypt, randomBytes } from 'node:crypto';
import { subtle } from 'node:crypto';
import {
  UnsupportedPublicKeyError,
  decryptOaepSha1,
  encryptOaepSha1,
  exportRsaPublicKey,
  generateRsa4096KeyPair,
  parseRsa4096PublicKey,
  rsaCiphertextBytes,
} from './rsa-4096';

let pair: Awaited<ReturnType<typeof generateRsa4096KeyPair>>;
beforeAll(async () => {
  pair = await generateRsa4096KeyPair();
});

/** A ciphertext whose first byte is zero (one in 256), without that byte: the same number in 511 bytes. */
function withoutLeadingZero(publicKey: KeyObject): Buffer {
  for (let tries = 0; tries < 10_000; tries += 1) {
    const bytes = encryptOaepSha1(publicKey, Buffer.from('challenge'));
    if (bytes[0] === 0) return bytes.subarray(1);
  }
  throw new Error('no ciphertext begins with a zero');
}

const spki = (key: { publicKey: import('node:crypto').KeyObject }): string =>
  key.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

describe('client keys (R-5.3-1, R-8-4)', () => {
  it('the base64 X.509 form of an RSA-4096 key is read and written, line breaks or not', () => {
    const encoded = exportRsaPublicKey(pair.publicKey);
    expect(parseRsa4096PublicKey(encoded).equals(pair.publicKey)).toBe(true);
    expect(parseRsa4096PublicKey(encoded.replace(/(.{64})/g, '$1\r\n')).equals(pair.publicKey)).toBe(true);
    expect(exportRsaPublicKey(pair.privateKey)).toBe(encoded);
  });

  it('keys of another size or kind are refused', () => {
    const message = 'expected an RSA key of 4096 bits';
    expect(() => parseRsa4096PublicKey(spki(generateKeyPairSync('rsa', { modulusLength: 2048 })))).toThrow(message);
    expect(() => parseRsa4096PublicKey(spki(generateKeyPairSync('rsa', { modulusLength: 3072 })))).toThrow(message);
    for (const other of [
      generateKeyPairSync('ec', { namedCurve: 'P-256' }),
      generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
    ])
      expect(() => parseRsa4096PublicKey(spki(other))).toThrow(/^expected an RSA key$/);
  });

  it.each(['', 'AAAA', '-----BEGIN PUBLIC KEY-----', '*', 'A'.repeat(5_000)])('%j is no key', text => {
    expect(() => parseRsa4096PublicKey(text)).toThrow(UnsupportedPublicKeyError);
  });

  it('is read up to 2048 characters, and not with anything else in between', () => {
    const encoded = exportRsaPublicKey(pair.publicKey);
    expect(parseRsa4096PublicKey(encoded.padEnd(2_048)).equals(pair.publicKey)).toBe(true);
    for (const text of [encoded.padEnd(2_049), encoded.replace(/^.{64}/, '$&*')])
      expect(() => parseRsa4096PublicKey(text)).toThrow(
        new UnsupportedPublicKeyError('expected the base64 of an X.509 public key'),
      );
  });

  it.each([
    [1n, 'unusual RSA public exponent'],
    [3n, undefined],
    [0xffff_ffffn, undefined],
    [0x1_0000_0001n, 'unusual RSA public exponent'],
  ])('with the public exponent %d: %s (T-02)', (exponent, problem) => {
    const hex = exponent.toString(16);
    const e = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
    const key = createPublicKey({ key: { ...pair.publicKey.export({ format: 'jwk' }), e }, format: 'jwk' });
    const read = () => parseRsa4096PublicKey(exportRsaPublicKey(key));
    if (problem === undefined) expect(read().equals(key)).toBe(true);
    else expect(read).toThrow(problem);
  });

  it('an error has its cause', () => {
    expect(() => parseRsa4096PublicKey('AAAA')).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ message: expect.any(String) as string }) as Error }),
    );
  });

  it('a private key is not taken for a public one', () => {
    const encoded = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
    expect(() => parseRsa4096PublicKey(encoded)).toThrow(UnsupportedPublicKeyError);
  });
});

describe('RSA/ECB/OAEPWithSHA-1AndMGF1Padding (R-5.3-2)', () => {
  it('an encrypted text decrypts again, and its 512 bytes differ each time', () => {
    const challenge = randomBytes(64);
    const [first, second] = [encryptOaepSha1(pair.publicKey, challenge), encryptOaepSha1(pair.publicKey, challenge)];
    expect(first).toHaveLength(rsaCiphertextBytes);
    expect(first.equals(second)).toBe(false);
    expect(decryptOaepSha1(pair.privateKey, first)).toEqual(challenge);
  });

  it('hash and MGF1 are both SHA-1, as an independent implementation reads it', async () => {
    // WebCrypto RSA-OAEP uses one hash for the label and for MGF1.
    const key = await subtle.importKey(
      'pkcs8',
      pair.privateKey.export({ format: 'der', type: 'pkcs8' }),
      { name: 'RSA-OAEP', hash: 'SHA-1' },
      false,
      ['decrypt'],
    );
    const opened = await subtle.decrypt('RSA-OAEP', key, encryptOaepSha1(pair.publicKey, Buffer.from('challenge')));
    expect(Buffer.from(opened).toString()).toBe('challenge');
    const ciphertext = encryptOaepSha1(pair.publicKey, Buffer.from('challenge'));
    const withSha256 = { key: pair.privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    expect(() => privateDecrypt(withSha256, ciphertext)).toThrow();
  });

  it('every failure is the same null: wrong length, wrong bytes, wrong key (T-01)', () => {
    expect(decryptOaepSha1(pair.privateKey, Buffer.alloc(0))).toBeNull();
    expect(decryptOaepSha1(pair.privateKey, randomBytes(511))).toBeNull();
    expect(decryptOaepSha1(pair.privateKey, Buffer.alloc(512, 0xff))).toBeNull();
    expect(decryptOaepSha1(pair.privateKey, Buffer.alloc(512))).toBeNull();
    expect(decryptOaepSha1(pair.privateKey, withoutLeadingZero(pair.publicKey))).toBeNull();
    const altered = encryptOaepSha1(pair.publicKey, randomBytes(64));
    altered[100]! ^= 1;
    expect(decryptOaepSha1(pair.privateKey, altered)).toBeNull();
  });
});
