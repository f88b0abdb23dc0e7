import { hash, hkdfSync, type KeyObject } from 'node:crypto';

const modulusBytes = 512;
const factorBits = 2_048n;
/** Least factor: √2 · 2^2047, rounded up; a product of two such numbers always has 4096 bits (FIPS 186-5 A.1.3, as OpenSSL makes keys). */
const factorMin = integerSquareRoot(1n << (2n * factorBits - 1n)) + 1n;
const factorSpan = (1n << factorBits) - factorMin;

/**
 * A number of 512 bytes with the distribution of a real modulus, the same for one identity at every replica: the product of two odd numbers
 * from the range of real primes. A ciphertext is smaller than its modulus, so the largest of many ciphertexts reveals the modulus. With one
 * decoy for all identities an attacker could tell decoys from keys (T-06). A uniform random number would reveal decoys too, because half of
 * such numbers are larger than most real moduli. Nobody knows a private key, and nothing is ever decrypted.
 */
export function decoyModulusOf(secret: KeyObject, identity: string): Buffer {
  const info = `paycode decoy modulus ${hash('sha256', identity)}`;
  const bytes = Buffer.from(hkdfSync('sha512', secret, '', info, modulusBytes));
  const modulus = factorOf(bytes.subarray(0, modulusBytes / 2)) * factorOf(bytes.subarray(modulusBytes / 2));
  return Buffer.from(modulus.toString(16).padStart(2 * modulusBytes, '0'), 'hex');
}

function factorOf(uniform: Buffer): bigint {
  return (factorMin + ((BigInt(`0x${uniform.toString('hex')}`) * factorSpan) >> factorBits)) | 1n;
}

/** Newton's method, from above. */
function integerSquareRoot(value: bigint): bigint {
  let root = 1n << factorBits;
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
