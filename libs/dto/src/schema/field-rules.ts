import * as z from 'zod';
import type { JsonSchema } from './contract.ts';

// Each rule has its own words after "must be", because zod's messages would quote the value, which may be personal data
// (T-16).

function integer(min: 0 | 1): z.ZodType<number> {
  const error = `must be an integer in [${min}, 2^53)`;
  return z.int(error).min(min, error);
}

/** transactionId, merchantId: a JSON integer in [1, 2^53). */
export const id = integer(1);

/** A count or an optional id: a JSON integer in [0, 2^53). */
export const natural = integer(0);

/** A duration in milliseconds, fractions allowed. */
export const milliseconds = z.number('must be a number >= 0').min(0, 'must be a number >= 0');

const instantForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;
// Accepts existing days and times only. Date.parse reads 30 February as 1 March, and costs ten times as much.
const leapDay = /(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29/;
const otherDay =
  /\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))/;
const realInstant = new RegExp(
  `^(?:${leapDay.source}|${otherDay.source})T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?Z$`,
);

/** An ISO 8601 instant in UTC. */
export const instant = own<string>(
  { type: 'string', format: 'date-time', pattern: instantForm.source },
  'an ISO 8601 instant in UTC',
  isInstant,
);

/** Whether it is an instant in UTC that exists, with 0 to 9 decimals. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && realInstant.test(value);
}

/** Text of 0 to `charsMax` characters. */
export function text(charsMax: number) {
  const error = `must be text of at most ${charsMax} characters`;
  return z.string(error).max(charsMax, error);
}

/** Text that matches a pattern, described by `expectation`. */
export function pattern(form: RegExp, expectation: string) {
  return z.string(`must be ${expectation}`).regex(form, `must be ${expectation}`);
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, `must be one of ${values.join(', ')}`);
}

/** A rule that zod does not have: `accepts` decides, `schema` documents it; a property test compares the two. */
export function own<T>(schema: JsonSchema, expectation: string, accepts: (value: unknown) => boolean): z.ZodType<T> {
  return z.custom<T>(accepts, `must be ${expectation}`).register(z.globalRegistry, schema);
}

/** An object with known fields, in the order in which they are written. */
export function record<Fields extends z.ZodRawShape>(title: string, description: string, fields: Fields) {
  return z.object(fields, 'must be an object').meta({ title, description });
}
