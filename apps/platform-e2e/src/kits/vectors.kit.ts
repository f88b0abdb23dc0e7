import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vectors, vectorsFile } from './describe-vectors';
import { kitsFolder } from './receiver-kit';

const openssl = (args: string[], input?: Buffer) => execFileSync('openssl', args, { input, stdio: ['pipe', 'pipe', 'ignore'] });
const toNumber = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);

/** x · y in GF(2^128) as GCM writes it: the first bit is the coefficient of 1 (NIST SP 800-38D, 6.3). */
function product(x: bigint, y: bigint): bigint {
  let [sum, shifted] = [0n, y];
  for (let bit = 127n; bit >= 0n; bit -= 1n) {
    if ((x >> bit) & 1n) sum ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ (0xe1n << 120n) : shifted >> 1n;
  }
  return sum;
}

/**
 * Opens a sealed body with OpenSSL's command line. It has no GCM for data, but its parts: the counter mode for the text, and GMAC for the tag. GMAC
 * counts the ciphertext as additional data, so its last block holds the length in the other half: the difference, times H, is added (6.4, 7.1).
 */
function byOpenssl(sealed: Buffer, key: string): { text: string; tag: string } {
  const nonce = sealed.subarray(0, 12).toString('hex');
  const ciphertext = sealed.subarray(12, -16);
  const text = openssl(['enc', '-d', '-aes-128-ctr', '-K', key, '-iv', `${nonce}00000002`], ciphertext).toString('utf8');
  const mac = ['mac', '-cipher', 'AES-128-GCM', '-macopt', `hexkey:${key}`, '-macopt', `hexiv:${nonce}`, '-in', '-', 'GMAC'];
  const gmac = BigInt(`0x${openssl(mac, ciphertext).toString('utf8').trim()}`);
  const h = toNumber(openssl(['enc', '-aes-128-ecb', '-nopad', '-K', key], Buffer.alloc(16)));
  const bits = BigInt(ciphertext.length * 8);
  const tag = gmac ^ product((bits << 64n) ^ bits, h);
  return { text, tag: tag.toString(16).padStart(32, '0') };
}

describe('test vectors of the receiver kits', () => {
  it('the file is the output of its script', () => {
    const made = execFileSync(process.execPath, [join(kitsFolder, 'vectors/make-vectors.mjs'), '--print'], { encoding: 'utf8' });
    expect(readFileSync(vectorsFile, 'utf8') === made ? 'current' : 'stale: node kits/vectors/make-vectors.mjs').toBe('current');
  });

  const opened = vectors.filter(({ expect }) => expect['result'] === 'OK');
  it.each(opened)("OpenSSL's command line opens it, and makes its tag: $name (R-6.1-1)", ({ body, keys, expect: fields }) => {
    const sealed = Buffer.from(body, 'base64');
    const candidates = keys.map(key => byOpenssl(sealed, key));
    const found = candidates.find(({ tag }) => tag === sealed.subarray(-16).toString('hex'));
    expect(found?.text).toContain(`"transactionId":`);
    expect(found?.text).toContain(fields['amount']);
  });

  const forged = vectors.filter(({ expect }) => expect['result'] === 'NOT_AUTHENTIC');
  it.each(forged)("OpenSSL's command line makes another tag: $name (R-6.2-7)", ({ body, keys }) => {
    const sealed = Buffer.from(body, 'base64');
    const tags = keys.map(key => byOpenssl(sealed, key).tag);
    expect(tags).not.toContain(sealed.subarray(-16).toString('hex'));
  });
});
