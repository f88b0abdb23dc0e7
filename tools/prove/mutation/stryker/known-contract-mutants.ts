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
    file: `${schema}/schema-compatibility.ts`,
    line: "if (before['enum'] === undefined && after['enum'] === undefined) return [];",
    changes: ["ConditionalExpression: before['enum'] === undefined => true"],
    kind: 'equivalent',
    why: 'a list of values that is gone admits more: no value is missing then either',
  },
];
