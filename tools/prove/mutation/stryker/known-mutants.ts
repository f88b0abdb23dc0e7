import { knownContractMutants } from './known-contract-mutants.ts';
import { knownCryptoMutants } from './known-crypto-mutants.ts';
import { knownDeliveryMutants } from './known-delivery-mutants.ts';
import type { KnownMutant } from './known-mutant.ts';

const sessions = 'apps/auth-session/src/sessions/domain';
const amounts = 'apps/payment-simulator/src/transactions/domain';

/** Mutants that survive, each with why. */
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
    file: 'apps/auth-session/src/accounts/domain/account-name.ts',
    line: "if (!isGiven(id) || !Number.isSafeInteger(id) || id < 1) return refused('id', 'must be a positive integer');",
    changes: ['ConditionalExpression: !isGiven(id) => false'],
    kind: 'equivalent',
    why: 'no id is no integer either; the question is for the types',
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
    file: 'apps/recipient-messages/src/messages/domain/gsm7.ts',
    line: "const bare = char.normalize('NFD').replace(/\\p{M}+/gu, '');",
    changes: ['Regex: /\\p{M}+/gu => /\\p{M}/gu'],
    kind: 'equivalent',
    why: 'accents go one by one as well as together',
  },
  {
    file: 'libs/ownership/src/assignment.ts',
    line: 'const free = shards.filter(({ owner }) => owner === null || !live.has(owner));',
    changes: ['ConditionalExpression: owner === null => false'],
    kind: 'equivalent',
    why: 'nobody is not alive: the comparison is implied by the look into the living',
  },
  {
    file: 'libs/ownership/src/shard-ownership.ts',
    line: 'if (this.owned.get(held.shard) === held.epoch) this.owned.delete(held.shard);',
    changes: ['ConditionalExpression: this.owned.get(held.shard) === held.epoch => true'],
    kind: 'redundant',
    why: 'a shard on its way out is not taken, so there is no later epoch of it to lose',
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
    file: 'libs/access/src/path/normalise-path.ts',
    line: "if (!rawPath.includes('%')) return rawPath;",
    changes: ["ConditionalExpression: !rawPath.includes('%') => false"],
    kind: 'equivalent',
    why: 'where nothing is encoded nothing is replaced; the question only saves the work',
  },
  {
    file: 'libs/access/src/service-token/service-token.ts',
    line: 'if (latest.kid !== this.inUse.kid && this.isPublished(latest)) this.inUse = latest;',
    changes: ['ConditionalExpression: latest.kid !== this.inUse.kid => true'],
    kind: 'equivalent',
    why: 'the id is the fingerprint of the key: the same key is put in the place of the one in use',
  },
  {
    file: 'libs/access/src/service-token/known-callers.ts',
    line: 'const known = header === undefined ? undefined : this.byHeader.get(header);',
    changes: ['ConditionalExpression: header === undefined => false'],
    kind: 'equivalent',
    why: 'nothing is kept under no header; the question is for the types',
  },
  ...knownDeliveryMutants,
  ...knownCryptoMutants,
  ...knownContractMutants,
];
