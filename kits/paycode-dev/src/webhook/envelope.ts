import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export const nonceBytes = 12;
export const tagBytes = 16;
const algorithm = 'aes-128-gcm';
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Why a body cannot be opened; the codes of the receiver kits. */
export type RefusalCode = 'BAD_ENCODING' | 'TOO_SHORT' | 'NOT_AUTHENTIC';

/** The body is no envelope under any of the keys. Its text names neither body nor key. */
export class RefusedBody extends Error {
  override readonly name = 'RefusedBody';

  constructor(readonly code: RefusalCode) {
    super(`the body was refused: ${code}`);
  }
}

/** nonce (12 bytes), ciphertext, tag (16 bytes): AES-128-GCM without additional data, a fresh nonce per call. `key`: 16 bytes. */
export function sealed(text: string, key: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** The plaintext of a webhook body: base64 on one line, under the first of the keys that fits. @throws RefusedBody */
export function opened(body: string, keys: readonly Buffer[]): Buffer {
  if (!base64.test(body)) throw new RefusedBody('BAD_ENCODING');
  const bytes = Buffer.from(body, 'base64');
  if (bytes.length < nonceBytes + tagBytes) throw new RefusedBody('TOO_SHORT');
  for (const key of keys) {
    const plaintext = decrypted(bytes, key);
    if (plaintext) return plaintext;
  }
  throw new RefusedBody('NOT_AUTHENTIC');
}

function decrypted(bytes: Buffer, key: Buffer): Buffer | undefined {
  // Without authTagLength, Node 20 takes tags of 4 bytes.
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const head = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([head, decipher.final()]);
  } catch {
    return undefined; // another key, or changed on the way
  }
}
