import { createDecipheriv } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Opens the body of a webhook: base64 of nonce, ciphertext and tag, AES-128-GCM under the merchant's key. This is all a merchant needs;
 * it throws when somebody changed the body on the way or the key is another: then a merchant refuses it.
 */
export function decryptWebhook(body: string, encryptKey: string): string {
  const bytes = Buffer.from(body, 'base64');
  const decipher = createDecipheriv('aes-128-gcm', Buffer.from(encryptKey, 'hex'), bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
  const ciphertext = bytes.subarray(nonceBytes, bytes.length - tagBytes);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
}
