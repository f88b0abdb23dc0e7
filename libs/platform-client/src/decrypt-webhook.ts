import { createDecipheriv } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Decrypts the body of a webhook: base64 of nonce, ciphertext and tag, AES-128-GCM under the merchant's key. A merchant needs no more
 * code. It throws when the body was changed or the key is wrong, and then a merchant must refuse the notification.
 */
export function decryptWebhook(body: string, encryptKey: string): string {
  const bytes = Buffer.from(body, 'base64');
  const decipher = createDecipheriv('aes-128-gcm', Buffer.from(encryptKey, 'hex'), bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
  const ciphertext = bytes.subarray(nonceBytes, bytes.length - tagBytes);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
}
