import type { KnownMutant } from './known-mutant.ts';

const notification = 'libs/dto/src/notification';
const schema = 'libs/dto/src/schema';

/** Mutants of libs/dto that survive, each with why. */
export const knownContractMutants: readonly KnownMutant[] = [
  {
    file: `${notification}/card-number.ts`,
    line: 'for (let at = first; at < groups.length && digits.length < digitsMax; at++) {',
    changes: [
      'LogicalOperator: at < groups.length && digits.length < digitsMax => at < groups.length || digits.length < digitsMax',
      'ConditionalExpression: at < groups.length => true',
      'EqualityOperator: at < groups.length => at <= groups.length',
      'ConditionalExpression: digits.length < digitsMax => true',
      'EqualityOperator: digits.length < digitsMax => digits.length <= digitsMax',
    ],
    kind: 'equivalent',
    why: 'no card has more digits, and behind the last group stands none: either bound only saves work',
  },
  {
    file: `${notification}/card-number.ts`,
    line: 'sum += weighed > 9 ? weighed - 9 : weighed;',
    changes: ['AssignmentOperator: sum += weighed > 9 ? weighed - 9 : weighed => sum -= weighed > 9 ? weighed - 9 : weighed'],
    kind: 'equivalent',
    why: 'ten divides a sum and its negative alike',
  },
  {
    file: `${notification}/exact-json.ts`,
    line: "if (typeof value !== 'number' || source === undefined) return value;",
    changes: ['ConditionalExpression: source === undefined => false'],
    kind: 'equivalent',
    why: 'a number that was read has a source text; the question is for the types',
  },
  {
    file: `${notification}/notification-json.ts`,
    line: 'const exact = { amount: new ExactNumber(amount), tipAmount: tipAmount === null ? null : new ExactNumber(tipAmount) };',
    changes: ['ConditionalExpression: tipAmount === null => false'],
    kind: 'equivalent',
    why: 'null as exact digits is written as null',
  },
  {
    file: `${notification}/notification-json.ts`,
    line: "return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';",
    changes: ['ConditionalExpression: value !== null => true'],
    kind: 'equivalent',
    why: 'the text "null" holds no card number either',
  },
  {
    file: `${notification}/notification-json.ts`,
    line: '} catch {',
    changes: ["BlockStatement: { // The engine's message quotes the input, which is personal data: the caller l => {}"],
    kind: 'equivalent',
    why: 'a function without a return answers undefined as well',
  },
  {
    file: `${notification}/transaction-notification-v3.ts`,
    line: 'value !== null &&',
    changes: ['ConditionalExpression: value !== null => true'],
    kind: 'equivalent',
    why: 'null is admitted beside the rule, which never sees it',
  },
  {
    file: 'libs/dto/src/access/error-catalogue.ts',
    line: "return status < 500 ? 'REQUEST_REFUSED' : 'INTERNAL_ERROR';",
    changes: ['EqualityOperator: status < 500 => status <= 500'],
    kind: 'equivalent',
    why: 'the catalogue names 500',
  },
  {
    file: `${schema}/contract.ts`,
    line: "const isNullable = orNull?.['type'] === 'null' && typeof inner?.['type'] === 'string' && !('enum' in inner);",
    changes: ["OptionalChaining: inner?.['type'] => inner['type']"],
    kind: 'equivalent',
    why: 'where there is a second there is a first',
  },
  {
    file: `${schema}/contract.ts`,
    line: "if (typeof node !== 'object' || node === null) return node;",
    changes: ['ConditionalExpression: node === null => false'],
    kind: 'equivalent',
    why: 'no schema holds null but as the name of a type; the question is for JSON as such',
  },
  {
    file: `${schema}/schema-compatibility.ts`,
    line: "if (before['enum'] === undefined && after['enum'] === undefined) return [];",
    changes: ["ConditionalExpression: before['enum'] === undefined => true"],
    kind: 'equivalent',
    why: 'a list of values that is gone admits more: no value is missing then either',
  },
];
