import type { KnownReason } from '../report/outcome.ts';

/** Mutants that survive, each with why. Named by the text of the line, so that code above it may move. */
export interface KnownMutant extends KnownReason {
  file: string;
  /** The source line the mutant begins in, trimmed. */
  line: string;
  /** As the run prints them: `<mutator>: <code> => <replacement>`. */
  changes: readonly string[];
}

const sessions = 'apps/auth-session/src/sessions/domain';
const amounts = 'apps/payment-simulator/src/transactions/domain';
const scheduler = 'apps/reversal-scheduler/src';

const crypto = 'libs/crypto/src';
const textOrBytes = [
  "ConditionalExpression: typeof plaintext === 'string' => true",
  "ConditionalExpression: typeof plaintext === 'string' => false",
  "EqualityOperator: typeof plaintext === 'string' => typeof plaintext !== 'string'",
];

export const knownMutants: readonly KnownMutant[] = [
  {
    file: 'apps/api-gateway/src/forwarding/domain/request-rules.ts',
    line: "if (host !== undefined && !hostValue.test(host)) return { status: 400, message: 'host is not valid' };",
    changes: ['ConditionalExpression: host !== undefined => true'],
    kind: 'equivalent',
    why: 'no host is tested as the text "undefined", which is well formed',
  },
  {
    file: 'apps/api-gateway/src/forwarding/domain/request-rules.ts',
    line: 'const isPlain = headers.every((text, index) => index % 2 === 0 || fieldValue.test(text));',
    changes: ['ConditionalExpression: index % 2 === 0 => false', 'ArithmeticOperator: index % 2 => index * 2'],
    kind: 'equivalent',
    why: 'the names are tested too, of which the parser lets none pass that is not plain',
  },
  {
    file: `${sessions}/authorization-header.ts`,
    line: "return more.length === 0 && !only.includes(',') ? readCredential(only.trim()) : weigh(lines);",
    changes: ["ConditionalExpression: more.length === 0 && !only.includes(',') => false"],
    kind: 'equivalent',
    why: 'weighing one credential gives that credential; the question only saves the work',
  },
  {
    file: `${sessions}/authorization-header.ts`,
    line: "const [, scheme = '', parameter = ''] = credentialPattern.exec(text) ?? [];",
    changes: ['ArrayDeclaration: [] => ["Stryker was here"]'],
    kind: 'equivalent',
    why: 'the first one, the match as a whole, is not read',
  },
  {
    file: `${sessions}/authorization-header.ts`,
    line: '} catch {',
    changes: ['BlockStatement: { // TextDecoder has no other way to say "not UTF-8". return undefined; } => {}'],
    kind: 'equivalent',
    why: 'a function without a return answers undefined as well',
  },
  {
    file: `${sessions}/access-token.ts`,
    line: "if (header.typ !== accessTokenType || typeof payload !== 'object' || payload === null) return undefined;",
    changes: ["ConditionalExpression: typeof payload !== 'object' => false"],
    kind: 'equivalent',
    why: 'a text has none of the claims, each of which is asked for after it',
  },
  {
    file: `${amounts}/decimal.ts`,
    line: 'return difference === 0n ? 0 : difference < 0n ? -1 : 1;',
    changes: ['EqualityOperator: difference < 0n => difference <= 0n'],
    kind: 'equivalent',
    why: 'a difference of zero was answered before',
  },
  {
    file: `${amounts}/decimal.ts`,
    line: 'if (digits === undefined || !decimalForm.test(digits))',
    changes: ['ConditionalExpression: digits === undefined => false'],
    kind: 'equivalent',
    why: 'no digits are tested as the text "undefined", which has not the form',
  },
  {
    file: `${scheduler}/reversal/domain/due-heap.ts`,
    line: 'if (kept.length === this.heap.length) return;',
    changes: ['ConditionalExpression: kept.length === this.heap.length => false'],
    kind: 'equivalent',
    why: 'a heap that lost nothing is built again, with the same content',
  },
  {
    file: `${scheduler}/reversal/domain/due-heap.ts`,
    line: 'return timer && timer.askAtMs < this.heap[best]!.askAtMs ? at : best;',
    changes: ['EqualityOperator: timer.askAtMs < this.heap[best]!.askAtMs => timer.askAtMs <= this.heap[best]!.askAtMs'],
    kind: 'equivalent',
    why: 'of two timers with the same due time either may be the first',
  },
  {
    file: `${scheduler}/shard-ownership/domain/plan-shards.ts`,
    line: 'const free = shards.filter(({ owner }) => owner === null || (owner !== me && !live.has(owner)));',
    changes: ['ConditionalExpression: owner === null => false', 'ConditionalExpression: owner !== me => true'],
    kind: 'equivalent',
    why: 'nobody is not alive, and the replica that asks is: each comparison is implied by the look into the living',
  },
  {
    file: 'libs/access/src/path/normalise-path.ts',
    line: 'const rawPath = queryAt < 0 ? rawTarget : rawTarget.slice(0, queryAt);',
    changes: ['EqualityOperator: queryAt < 0 => queryAt <= 0'],
    kind: 'equivalent',
    why: 'a target that begins with its query has no absolute path, however it is cut',
  },
  {
    file: 'libs/access/src/path/normalise-path.ts',
    line: "const search = queryAt < 0 ? '' : rawTarget.slice(queryAt);",
    changes: ['EqualityOperator: queryAt < 0 => queryAt <= 0'],
    kind: 'equivalent',
    why: 'a target that begins with its query has no absolute path, however it is cut',
  },
  {
    file: 'libs/access/src/path/normalise-path.ts',
    line: "const decisive = segments.slice(0, segments[0]?.toLowerCase() === 'pluto' ? 2 : 1);",
    changes: ['OptionalChaining: segments[0]?.toLowerCase => segments[0].toLowerCase'],
    kind: 'equivalent',
    why: 'a path that begins with a slash has a first segment',
  },
  {
    file: 'libs/access/src/service-token/known-callers.ts',
    line: 'const known = header === undefined ? undefined : this.byHeader.get(header);',
    changes: ['ConditionalExpression: header === undefined => false'],
    kind: 'equivalent',
    why: 'nothing is kept under no header; the question is for the types',
  },
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
];
