/** The other floor: the crypto operations alone, on one thread. */
import {
  constants,
  createHmac,
  createSecretKey,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  sign,
} from 'node:crypto';

const measureMs = 1_000;

function perSecond(operation: () => unknown): number {
  const startedAt = performance.now();
  let count = 0;
  while (performance.now() - startedAt < measureMs) {
    for (let i = 0; i < 4; i++) operation();
    count += 4;
  }
  return Math.round((count * 1_000) / (performance.now() - startedAt));
}

export interface BareCrypto {
  rsa4096Decrypt: number;
  rsa4096Encrypt: number;
  hmacSha256: number;
  es256Sign: number;
}

/** Operations per second. */
export function bareCrypto(): BareCrypto {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
  const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
  const plaintext = randomBytes(64);
  const ciphertext = publicEncrypt({ key: publicKey, ...oaep }, plaintext);
  const secret = createSecretKey(randomBytes(32));
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    rsa4096Decrypt: perSecond(() => privateDecrypt({ key: privateKey, ...oaep }, ciphertext)),
    rsa4096Encrypt: perSecond(() => publicEncrypt({ key: publicKey, ...oaep }, plaintext)),
    hmacSha256: perSecond(() => createHmac('sha256', secret).update(plaintext).digest()),
    es256Sign: perSecond(() => sign('sha256', plaintext, ec.privateKey)),
  };
}
