import { randomBytes } from 'node:crypto';
import { KeyRing } from './key-ring';
import { type SealedKeyError, WebhookKeySealer, webhookKeyAad } from './webhook-key-sealer';

const [oldKek, newKek] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const webhookKey = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const aad = 'webhook-key:1001:7';
let before: WebhookKeySealer;
let during: WebhookKeySealer;
let after: WebhookKeySealer;

beforeEach(() => {
  before = new WebhookKeySealer(KeyRing.parse(`k1:${oldKek}`));
  during = new WebhookKeySealer(KeyRing.parse(`k2:${newKek},k1:${oldKek}`));
  after = new WebhookKeySealer(KeyRing.parse(`k2:${newKek}`));
});

describe('webhook keys at rest (T-14, A-49)', () => {
  it('are written as v1.{kekId}.{base64url(nonce | ciphertext | tag)} and open again', () => {
    const sealed = before.seal(webhookKey, aad);
    expect(sealed).toMatch(/^v1\.k1\.[A-Za-z0-9_-]{59}$/);
    expect(before.open(sealed, aad)).toEqual(webhookKey);
  });

  it('are bound to merchant and key id: text webhook-key:{merchantId}:{keyId}', () => {
    expect(webhookKeyAad(1001, '7')).toBe(aad);
    const sealed = before.seal(webhookKey, aad);
    expect(() => before.open(sealed, webhookKeyAad(1002, '7'))).toThrow('sealed webhook key: NOT_AUTHENTIC');
    expect(() => before.open(sealed, webhookKeyAad(1001, '8'))).toThrow('sealed webhook key: NOT_AUTHENTIC');
  });

  it('reseal moves a key to the current key-encryption key, after which the old one can be removed', () => {
    const sealed = before.seal(webhookKey, aad);
    expect(during.isCurrent(sealed)).toBe(false);
    expect(() => after.open(sealed, aad)).toThrow('sealed webhook key: UNKNOWN_KEY');
    const resealed = during.reseal(sealed, aad);
    expect(during.isCurrent(resealed)).toBe(true);
    expect(after.open(resealed, aad)).toEqual(webhookKey);
  });

  it('two seals of one key differ (T-23)', () => {
    expect(before.seal(webhookKey, aad)).not.toBe(before.seal(webhookKey, aad));
  });

  it.each(['', 'v1', 'v1.k1', 'v2.k1.AAAA', 'v1.k1.AAAA', 'v1..AAAA', `v1.k1.${'A'.repeat(2_100)}`, 'v1.k1.AAAA.AAAA'])(
    'refuses %j as malformed',
    text => {
      expect(() => before.open(text, aad)).toThrow('sealed webhook key: MALFORMED');
    },
  );

  it('are not opened if any part of their form differs, however good the rest', () => {
    const [version, kid, sealed] = before.seal(webhookKey, aad).split('.') as [string, string, string];
    const withBytes = (count: number) => `v1.k1.${randomBytes(count).toString('base64url')}`;
    const codeOf = (text: string) => {
      try {
        before.open(text, aad);
      } catch (error) {
        return (error as SealedKeyError).code;
      }
      return 'OPENED';
    };
    expect([`v2.${kid}.${sealed}`, `${version}..${sealed}`, `${version}.${kid}.${sealed}.`].map(codeOf)).toEqual(
      Array(3).fill('MALFORMED'),
    );
    expect([withBytes(28), withBytes(29)].map(codeOf)).toEqual(['MALFORMED', 'NOT_AUTHENTIC']);
    expect(['A'.repeat(2_042), 'A'.repeat(2_043)].map(text => codeOf(`v1.k1.${text}`))).toEqual(['NOT_AUTHENTIC', 'MALFORMED']);
  });

  it('an error has its cause', () => {
    expect(() => before.open(before.seal(webhookKey, aad), '')).toThrow(
      expect.objectContaining({
        code: 'NOT_AUTHENTIC',
        cause: expect.objectContaining({ message: expect.any(String) as string }) as Error,
      }),
    );
  });

  it('a changed character does not open', () => {
    const sealed = before.seal(webhookKey, aad);
    const at = sealed.length - 5;
    const altered = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    expect(() => before.open(altered, aad)).toThrow('sealed webhook key: NOT_AUTHENTIC');
  });
});
