import type { KnownMutant } from './known-mutant.ts';

const crypto = 'libs/crypto/src';
const textOrBytes = [
  "ConditionalExpression: typeof plaintext === 'string' => true",
  "ConditionalExpression: typeof plaintext === 'string' => false",
  "EqualityOperator: typeof plaintext === 'string' => typeof plaintext !== 'string'",
];

/** Mutants of libs/crypto that survive, each with why. */
export const knownCryptoMutants: readonly KnownMutant[] = [
  {
    file: `${crypto}/sealing/payload-sealer.ts`,
    line: "const ciphertext = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);",
    changes: textOrBytes,
    kind: 'equivalent',
    why: 'the cipher takes UTF-8 for the encoding of a text, and none for that of bytes, whatever it is told',
  },
  {
    file: `${crypto}/webhook/aes-128-gcm.ts`,
    line: "const ciphertext = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);",
    changes: textOrBytes,
    kind: 'equivalent',
    why: 'the cipher takes UTF-8 for the encoding of a text, and none for that of bytes, whatever it is told',
  },
  {
    file: `${crypto}/webhook/aes-128-cbc-legacy.ts`,
    line: "const head = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);",
    changes: textOrBytes,
    kind: 'equivalent',
    why: 'the cipher takes UTF-8 for the encoding of a text, and none for that of bytes, whatever it is told',
  },
  {
    file: `${crypto}/sealing/payload-sealer.ts`,
    line: "const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes });",
    changes: ['ObjectLiteral: { authTagLength: tagBytes } => {}'],
    kind: 'equivalent',
    why: 'the tag has its 16 bytes before it comes here',
  },
  {
    file: `${crypto}/sealing/webhook-key-sealer.ts`,
    line: "const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, gcmNonceBytes), { authTagLength: tagBytes });",
    changes: ['ObjectLiteral: { authTagLength: tagBytes } => {}'],
    kind: 'equivalent',
    why: 'the tag has its 16 bytes before it comes here',
  },
  {
    file: `${crypto}/webhook/aes-128-gcm.ts`,
    line: "const decipher = createDecipheriv('aes-128-gcm', key, sealed.subarray(0, gcmNonceBytes), { authTagLength: tagBytes });",
    changes: ['ObjectLiteral: { authTagLength: tagBytes } => {}'],
    kind: 'equivalent',
    why: 'the tag has its 16 bytes before it comes here',
  },
  {
    file: `${crypto}/webhook/aes-128-gcm.ts`,
    line: 'if (sealed.length < gcmNonceBytes + tagBytes) throw new WebhookEnvelopeError();',
    changes: [
      'ConditionalExpression: sealed.length < gcmNonceBytes + tagBytes => false',
      'ArithmeticOperator: gcmNonceBytes + tagBytes => gcmNonceBytes - tagBytes',
    ],
    kind: 'equivalent',
    why: 'what is too short does not decrypt either, with the same error',
  },
  {
    file: `${crypto}/webhook/webhook-key.ts`,
    line: "const bytes = typeof key === 'string' ? Buffer.from(key, 'hex') : key;",
    changes: ["ConditionalExpression: typeof key === 'string' => true"],
    kind: 'equivalent',
    why: 'bytes are copied',
  },
  {
    file: `${crypto}/sealing/payload-sealer.ts`,
    line: "const key = typeof header.kid === 'string' ? this.ring.find(header.kid) : undefined;",
    changes: ["ConditionalExpression: typeof header.kid === 'string' => true"],
    kind: 'equivalent',
    why: 'what is no text is the id of no key',
  },
  {
    file: `${crypto}/sealing/payload-sealer.ts`,
    line: "const parts = jwe.length <= sealedPayloadCharsMax ? jwe.split('.', 6) : [];",
    changes: ['ArrayDeclaration: [] => ["Stryker was here"]'],
    kind: 'equivalent',
    why: 'one part is as malformed as none',
  },
  {
    file: `${crypto}/sealing/webhook-key-sealer.ts`,
    line: "const parts = sealedKey.length <= sealedCharsMax ? sealedKey.split('.', 4) : [];",
    changes: ['ArrayDeclaration: [] => ["Stryker was here"]'],
    kind: 'equivalent',
    why: 'one part is as malformed as none',
  },
  {
    file: `${crypto}/hashing/api-password-hasher.ts`,
    line: 'return timingSafeEqual(mac, expected) && stored !== null;',
    changes: ['ConditionalExpression: stored !== null => true'],
    kind: 'redundant',
    why: 'nobody knows the password of the decoy, 160 random bits',
  },
  {
    file: `${crypto}/rsa/rsa-4096.ts`,
    line: "const text = encoded.length <= encodedKeyCharsMax ? encoded.replace(/\\s+/g, '') : '';",
    changes: ['Regex: /\\s+/g => /\\s/g'],
    kind: 'equivalent',
    why: 'blanks go one by one as well as together',
  },
  {
    file: `${crypto}/random/random-nonce.ts`,
    line: 'if (used === poolBytes) {',
    changes: ['ConditionalExpression: used === poolBytes => true', 'EqualityOperator: used === poolBytes => used !== poolBytes'],
    kind: 'equivalent',
    why: 'a block drawn for every nonce gives nonces as random, only slower',
  },
];
