import { rule, type Rule } from './rule';

const isWithin = (value: unknown, min: number): boolean => Number.isSafeInteger(value) && (value as number) >= min;

/** transactionId, merchantId: a JSON integer in [1, 2^53). */
export const id = rule<number>(
  { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  'an integer in [1, 2^53)',
  value => isWithin(value, 1),
);

/** A count or an optional id: a JSON integer in [0, 2^53). */
export const natural = rule<number>(
  { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  'an integer in [0, 2^53)',
  value => isWithin(value, 0),
);

/** A duration in milliseconds, fractions allowed. */
export const milliseconds = rule<number>(
  { type: 'number', minimum: 0 },
  'a number >= 0',
  value => typeof value === 'number' && Number.isFinite(value) && value >= 0,
);

const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;

/** An ISO 8601 instant in UTC. */
export const instant = rule<string>(
  { type: 'string', format: 'date-time', pattern: instantPattern.source },
  'an ISO 8601 instant in UTC',
  value => typeof value === 'string' && instantPattern.test(value) && isRealInstant(value),
);

/** Date.parse takes 30 February for 1 March, so the day is compared. */
function isRealInstant(value: string): boolean {
  const parsed = Date.parse(value);
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().slice(0, 10) === value.slice(0, 10);
}

/** Text of 0 to `charsMax` characters. */
export function text(charsMax: number): Rule<string> {
  const accepts = (value: unknown): boolean => typeof value === 'string' && value.length <= charsMax;
  return rule({ type: 'string', maxLength: charsMax }, `text of at most ${charsMax} characters`, accepts);
}

/** Text that matches a pattern, described by `expectation`. */
export function pattern<T extends string = string>(form: RegExp, expectation: string): Rule<T> {
  return rule({ type: 'string', pattern: form.source }, expectation, value => typeof value === 'string' && form.test(value));
}

export function oneOf<T extends string>(values: readonly T[]): Rule<T> {
  const accepted = new Set<unknown>(values);
  return rule({ type: 'string', enum: values }, `one of ${values.join(', ')}`, value => accepted.has(value));
}
