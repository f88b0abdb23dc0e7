import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { eventSamples, notificationSamples, samplePayloadKeys } from '@paycode/dto/testing';
import { KeyRing } from './key-ring';
import { PayloadSealer, SealedPayloadError, sealedPayloadCharsMax } from './payload-sealer';

const oldKey = Buffer.alloc(32, 1);
const newKey = Buffer.alloc(32, 2);
const ring = (text: [string, Buffer][]): KeyRing =>
  KeyRing.parse(text.map(([kid, key]) => `${kid}:${key.toString('base64')}`).join());
let sealer: PayloadSealer;

beforeEach(() => {
  sealer = new PayloadSealer(ring([['new', newKey], ['old', oldKey]])); // prettier-ignore
});

const text = '{"transactionId":1,"clientMsisdn":"+27820000000","amount":110.10}';

function codeOf(open: () => unknown): string {
  try {
    open();
  } catch (error) {
    if (error instanceof SealedPayloadError) return error.code;
    throw error;
  }
  return 'OPENED';
}

describe('sealed payload (T-16)', () => {
  it('jose opens what the sealer writes: compact JWE with dir, A256GCM and kid', async () => {
    const { plaintext, protectedHeader } = await compactDecrypt(sealer.seal(text), newKey);
    expect(Buffer.from(plaintext).toString('utf8')).toBe(text);
    expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM', kid: 'new' });
  });

  it('the sealer opens what jose writes, whatever the order of the header', async () => {
    const jwe = await new CompactEncrypt(Buffer.from(text))
      .setProtectedHeader({ kid: 'old', enc: 'A256GCM', alg: 'dir', typ: 'JWE' })
      .encrypt(oldKey);
    expect(sealer.openText(jwe)).toBe(text);
  });

  it('a header of 512 characters is read, a longer one is not', async () => {
    const padded = (type: string) =>
      new CompactEncrypt(Buffer.from(text))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: 'old', typ: type })
        .encrypt(oldKey);
    const [fits, tooLong] = [await padded('x'.repeat(334)), await padded('x'.repeat(335))];
    expect(fits.split('.', 1)[0]).toHaveLength(512);
    expect([fits, tooLong].map(jwe => codeOf(() => sealer.open(jwe)))).toEqual(['OPENED', 'MALFORMED']);
  });

  it('a text of 64 KiB is opened, a longer one is not', () => {
    const [fits, tooLong] = [sealer.seal('x'.repeat(49_079)), sealer.seal('x'.repeat(49_080))];
    expect(fits).toHaveLength(sealedPayloadCharsMax);
    expect([fits, tooLong].map(jwe => codeOf(() => sealer.open(jwe)))).toEqual(['OPENED', 'MALFORMED']);
  });

  it('two key ids are valid at once: the current one seals, the former still opens', () => {
    const before = new PayloadSealer(ring([['old', oldKey]]));
    expect(sealer.openText(before.seal(text))).toBe(text);
    expect(codeOf(() => before.open(sealer.seal(text)))).toBe('UNKNOWN_KEY');
  });

  it('the golden events of the contract open to the golden notifications', () => {
    const sealed = eventSamples()['transaction-terminal.purchase'] as { notification: string };
    const opened = new PayloadSealer(KeyRing.parse(samplePayloadKeys)).openText(sealed.notification);
    expect(opened).toBe(notificationSamples()['purchase-success']);
  });

  it('any bytes come back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4_000 }), data =>
        sealer.open(sealer.seal(Buffer.from(data))).equals(Buffer.from(data)),
      ),
    );
  });

  it('nothing of the payload is readable in the sealed text', () => {
    const sealed = sealer.seal(text);
    expect(sealed).not.toContain('27820000000');
    expect(Buffer.from(sealed.replaceAll('.', ''), 'base64url').toString('latin1')).not.toContain('27820000000');
  });

  it('a change in any part does not open', () => {
    const parts = sealer.seal(text).split('.');
    for (const index of [0, 2, 3, 4]) {
      const altered = parts.map((part, i) => (i === index ? (part.startsWith('A') ? 'B' : 'A') + part.slice(1) : part)).join('.');
      expect(codeOf(() => sealer.open(altered))).not.toBe('OPENED');
    }
  });

  const header = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const supported = { alg: 'dir', enc: 'A256GCM', kid: 'new' };
  /** The parts of a JWE that opens, some of them replaced. */
  const changed = (parts: Partial<Record<'header' | 'key' | 'iv' | 'ciphertext' | 'tag', string>>): string => {
    const [good = '', key = '', iv = '', ciphertext = '', tag = ''] = sealer.seal(text).split('.');
    return Object.values({ header: good, key, iv, ciphertext, tag, ...parts }).join('.');
  };
  it.each<[string, () => string, string]>([
    ['not a JWE', () => 'x', 'MALFORMED'],
    ['four parts', () => sealer.seal(text).replace(/\.[^.]*$/, ''), 'MALFORMED'],
    ['six parts', () => `${sealer.seal(text)}.`, 'MALFORMED'],
    ['no header', () => changed({ header: '' }), 'MALFORMED'],
    ['an encrypted key with dir', () => changed({ key: 'AAAA' }), 'MALFORMED'],
    ['a short tag', () => changed({ tag: 'AAAAAAAA' }), 'MALFORMED'],
    ['a short nonce', () => changed({ iv: 'AAAAAAAA' }), 'MALFORMED'],
    ['a header that is null', () => changed({ header: header(null) }), 'MALFORMED'],
    ['a header that is a number', () => changed({ header: header(5) }), 'MALFORMED'],
    ['a header that is no JSON', () => changed({ header: 'AAAA' }), 'MALFORMED'],
    ['a header that is a list', () => changed({ header: header([]) }), 'MALFORMED'],
    ['a text beyond the bound', () => 'A'.repeat(sealedPayloadCharsMax + 1), 'MALFORMED'],
    ['another algorithm', () => changed({ header: header({ ...supported, alg: 'A256KW' }) }), 'UNSUPPORTED'],
    ['another encryption', () => changed({ header: header({ ...supported, enc: 'A128GCM' }) }), 'UNSUPPORTED'],
    ['a critical extension', () => changed({ header: header({ ...supported, crit: ['x'] }) }), 'UNSUPPORTED'],
    ['compression', () => changed({ header: header({ ...supported, zip: 'DEF' }) }), 'UNSUPPORTED'],
    ['no key id', () => changed({ header: header({ ...supported, kid: undefined }) }), 'UNKNOWN_KEY'],
    ['an unknown key id', () => changed({ header: header({ ...supported, kid: 'x' }) }), 'UNKNOWN_KEY'],
    ['the wrong key', () => changed({ header: header({ ...supported, kid: 'old' }) }), 'NOT_AUTHENTIC'],
  ])('refuses %s with a code and without payload data', (_, jwe, code) => {
    const given = jwe();
    expect(codeOf(() => sealer.open(given))).toBe(code);
    expect(() => sealer.open(given)).toThrow(`sealed payload: ${code}`);
  });

  it.each([
    ['NOT_AUTHENTIC', { ciphertext: 'AAAA' }],
    ['MALFORMED', { header: 'AAAA' }],
  ])('an error %s has its cause', (code, parts) => {
    const given = changed(parts);
    expect(() => sealer.open(given)).toThrow(
      expect.objectContaining({ code, cause: expect.objectContaining({ message: expect.any(String) as string }) as Error }),
    );
  });

  it('seals a text under a new nonce each time, and another key does not open it', async () => {
    const key = randomBytes(32);
    const other = new PayloadSealer(ring([['k', key]]));
    const [a, b] = [other.seal(text), other.seal(text)];
    expect(a.split('.')[2]).not.toBe(b.split('.')[2]);
    await expect(compactDecrypt(a, oldKey)).rejects.toThrow();
  });
});
