import type { KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { encryptWithNonce, type WebhookEnvelope, webhookEnvelope, WebhookEnvelopeError } from './webhook-envelope';
import { generateWebhookKey, importWebhookKey, webhookKeyId } from './webhook-key';

const plaintext = '{"transactionId":1,"status":"SUCCESS"}';
let key: KeyObject;
let gcm: WebhookEnvelope;
let cbc: WebhookEnvelope;

beforeEach(() => {
  key = importWebhookKey('00112233445566778899aabbccddeeff');
  gcm = webhookEnvelope('AES-128-GCM');
  cbc = webhookEnvelope('AES-128-CBC-LEGACY');
});

describe('webhook envelope AES-128-GCM (R-6.1-1)', () => {
  const vector = 'AAECAwQFBgcICQoLUPdDts/5/AH8TEDwfsQlzzcuoWgHxY/5+i34dMNY02t1zIEHM3UA2RNHebixp42ypMYBk38A';

  it('writes the published test vector', () => {
    expect(encryptWithNonce(key, plaintext, Buffer.from('000102030405060708090a0b', 'hex'))).toBe(vector);
  });

  it('reads the published test vector', () => {
    expect(gcm.decrypt(key, vector).toString('utf8')).toBe(plaintext);
  });

  it('two encryptions of one text never share a nonce or a body (T-23)', () => {
    const [first, second] = [gcm.encrypt(key, plaintext), gcm.encrypt(key, plaintext)];
    expect(first).not.toBe(second);
    expect(first.slice(0, 16)).not.toBe(second.slice(0, 16));
  });

  it('a body with any one bit changed does not decrypt (R-6.2-7, T-22)', () => {
    const body = Buffer.from(gcm.encrypt(key, plaintext), 'base64');
    for (let bit = 0; bit < body.length * 8; bit += 1) {
      const altered = Buffer.from(body);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => gcm.decrypt(key, altered.toString('base64'))).toThrow(WebhookEnvelopeError);
    }
  });

  it('another key does not decrypt (R-4.3-10)', () => {
    expect(() => gcm.decrypt(importWebhookKey(generateWebhookKey()), gcm.encrypt(key, plaintext))).toThrow(WebhookEnvelopeError);
  });

  it.each(['', 'AAECAwQFBgcICQoL', 'not base64 at all !'])('refuses %j, which is too short to be an envelope', body => {
    expect(() => gcm.decrypt(key, body)).toThrow(WebhookEnvelopeError);
  });
});

describe('webhook envelope AES-128-CBC, legacy profile', () => {
  const vector = 'OSMyVDatq73hnWahB7YX+B5wuVan5xXUheoAwDdDF/+Ojmt3YjSggzWkOjxyox5T';

  it('writes and reads the published test vector', () => {
    expect(cbc.encrypt(key, plaintext)).toBe(vector);
    expect(cbc.decrypt(key, vector).toString('utf8')).toBe(plaintext);
  });

  it('refuses a body whose padding is wrong', () => {
    expect(() => cbc.decrypt(key, vector.slice(0, -4))).toThrow(WebhookEnvelopeError);
  });
});

describe.each(['AES-128-GCM', 'AES-128-CBC-LEGACY'] as const)('webhook envelope %s', profile => {
  let envelope: WebhookEnvelope;
  beforeEach(() => {
    envelope = webhookEnvelope(profile);
  });

  it('gives back any text, given as string or bytes, as one line of padded base64', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), text => {
        const fromText = envelope.encrypt(key, text);
        const fromBytes = envelope.encrypt(key, Buffer.from(text, 'utf8'));
        expect(envelope.decrypt(key, fromText).equals(Buffer.from(text, 'utf8'))).toBe(true);
        expect(envelope.decrypt(key, fromBytes).equals(Buffer.from(text, 'utf8'))).toBe(true);
        expect(fromText).toMatch(/^[A-Za-z0-9+/]*={0,2}$/);
        expect(fromText.length % 4).toBe(0);
      }),
    );
  });

  it('an error has its cause', () => {
    const changed = envelope.encrypt(key, plaintext).slice(0, -4);
    expect(() => envelope.decrypt(key, changed)).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ message: expect.any(String) as string }) as Error }),
    );
  });

  it('an error names no payload and no key (T-17)', () => {
    const body = envelope.encrypt(key, plaintext);
    const other = importWebhookKey('ffeeddccbbaa99887766554433221100');
    let message = '';
    try {
      envelope.decrypt(other, body.slice(4));
    } catch (error) {
      message = String(error);
    }
    expect(message).toBe('WebhookEnvelopeError: the webhook body cannot be decrypted with this key');
  });
});

describe('webhook keys (R-2.4-4)', () => {
  it('a generated key is 32 hexadecimal characters and differs each time', () => {
    const keys = new Set(Array.from({ length: 1_000 }, generateWebhookKey));
    expect(keys.size).toBe(1_000);
    for (const text of keys) expect(text).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each(['', '00', '0011223344556677', 'zz112233445566778899aabbccddeeff', '00112233445566778899aabbccddeeff00'])(
    'refuses %j without repeating it',
    text => {
      expect(() => importWebhookKey(text)).toThrow('a webhook key is 32 hexadecimal characters');
    },
  );

  it('takes 16 raw bytes, in upper or lower case hexadecimal alike', () => {
    const upper = importWebhookKey('00112233445566778899AABBCCDDEEFF');
    const raw = importWebhookKey(Buffer.from('00112233445566778899aabbccddeeff', 'hex'));
    expect(upper.equals(key)).toBe(true);
    expect(raw.equals(key)).toBe(true);
    expect(() => importWebhookKey(Buffer.alloc(32))).toThrow('a webhook key has 16 bytes, not 32');
  });
});

describe('the id of a webhook key', () => {
  // printf 00112233445566778899aabbccddeeff | xxd -r -p | openssl dgst -sha256
  it('is the beginning of its SHA-256, so that a receiver derives it from the key that it has', () => {
    expect(webhookKeyId(importWebhookKey('00112233445566778899AABBCCDDEEFF'))).toBe('a8faed6abbf35c12');
  });
});
