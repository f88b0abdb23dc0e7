import { constants, createHash, createPublicKey, createSecretKey, publicEncrypt } from 'node:crypto';
import { decoyModulusOf } from './decoy-modulus';

const secret = createSecretKey(Buffer.alloc(32, 7));
const identities = Array.from({ length: 200 }, (_, i) => `merchant-${i}`);
const ciphertextsEach = 20;

/** Repeatable "random" bytes: every run of this file has the same result. */
function bytesOf(seed: string, count: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(count / 64) }, (_, i) => createHash('sha512').update(`${seed} ${i}`).digest());
  return Buffer.concat(blocks).subarray(0, count);
}
const fractionOf = (seed: string) => bytesOf(seed, 6).readUIntBE(0, 6) / 2 ** 48;
const asFraction = (number: Buffer) => number.readUIntBE(0, 6) / 2 ** 48;

/** Largest of some ciphertexts under a modulus, divided by 2^4096. An outsider can learn only this about the modulus. */
function largestCiphertext(modulus: Buffer, seed: string): number {
  const key = createPublicKey({ key: { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' }, format: 'jwk' });
  const seen = Array.from({ length: ciphertextsEach }, (_, i) => {
    const plaintext = Buffer.concat([Buffer.alloc(1), bytesOf(`${seed} ${i}`, 511)]);
    return asFraction(publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, plaintext));
  });
  return Math.max(...seen);
}

/** The same of a real key: its primes are uniform between √½ and 1, a ciphertext is uniform below their product. */
function largestOfRealKey(seed: string): number {
  const factor = (which: string) => Math.SQRT1_2 + (1 - Math.SQRT1_2) * fractionOf(`${seed} ${which}`);
  const modulus = factor('p') * factor('q');
  return Math.max(...Array.from({ length: ciphertextsEach }, (_, i) => modulus * fractionOf(`${seed} c${i}`)));
}

/** Distance of Kolmogorov and Smirnov between two samples: 0 alike, 1 apart. */
function distance(left: number[], right: number[]): number {
  const share = (sample: number[], limit: number) => sample.filter(value => value <= limit).length / sample.length;
  return Math.max(...[...left, ...right].map(limit => Math.abs(share(left, limit) - share(right, limit))));
}

/** Beyond it two samples of 200 differ at the level of 1 %. */
const distanceMax = 1.63 * Math.sqrt(2 / 200);

describe('the modulus of a decoy (A-37, T-06)', () => {
  const real = identities.map(identity => largestOfRealKey(identity));

  it('ciphertexts of 200 identities without a key are distributed like those of 200 with one (T-06)', () => {
    const decoys = identities.map(identity => largestCiphertext(decoyModulusOf(secret, identity), identity));
    expect(distance(decoys, real)).toBeLessThan(distanceMax);
  });

  it('the test detects a shared decoy and a uniform modulus (T-06)', () => {
    const one = decoyModulusOf(secret, 'one for all');
    expect(
      distance(
        identities.map(identity => largestCiphertext(one, identity)),
        real,
      ),
    ).toBeGreaterThan(2 * distanceMax);
    const uniform = identities.map(identity => {
      const modulus = bytesOf(`uniform ${identity}`, 512);
      modulus[0]! |= 0xc0;
      modulus[511]! |= 1;
      return largestCiphertext(modulus, identity);
    });
    expect(distance(uniform, real)).toBeGreaterThan(2 * distanceMax);
  });

  it('has 4096 bits and is odd, as a modulus is; the same for one identity, another for every other and under every other secret', () => {
    const moduli = identities.map(identity => decoyModulusOf(secret, identity));
    for (const modulus of moduli) expect([modulus.length, modulus[0]! >> 7, modulus[511]! & 1]).toEqual([512, 1, 1]);
    expect(new Set(moduli.map(modulus => modulus.toString('hex'))).size).toBe(200);
    expect(decoyModulusOf(secret, 'merchant-1').equals(moduli[1]!)).toBe(true);
    expect(decoyModulusOf(createSecretKey(Buffer.alloc(32, 8)), 'merchant-1').equals(moduli[1]!)).toBe(false);
  });
});
