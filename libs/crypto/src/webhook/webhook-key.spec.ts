import { importWebhookKey, webhookKeyId } from './webhook-key';

describe('the id of a webhook key', () => {
  // printf 00112233445566778899aabbccddeeff | xxd -r -p | openssl dgst -sha256
  it('is the beginning of its SHA-256, so that a receiver derives it from the key that it has', () => {
    expect(webhookKeyId(importWebhookKey('00112233445566778899AABBCCDDEEFF'))).toBe('a8faed6abbf35c12');
  });
});
