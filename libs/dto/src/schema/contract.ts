import * as z from 'zod';

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type ParseResult<T> = { ok: true; value: T } | { ok: false; reason: string };

/** The rules of a message from one definition: JSON Schema for documents and other languages, a parser for the hot path. */
export interface Contract<T> {
  readonly schema: JsonSchema;
  /**
   * Returns the value without unknown members, so that a newer producer may add some, or a reason that is safe for logs and dead letters (T-16).
   */
  readonly parse: (value: unknown) => ParseResult<T>;
}

/** Makes the contract of a `record`. */
export function contract<T>(definition: z.ZodType<T>): Contract<T> {
  return {
    // Made on demand: documents need it, services do not.
    get schema() {
      return jsonSchemaOf(definition);
    },
    parse: value => {
      const result = definition.safeParse(value);
      return result.success ? { ok: true, value: result.data } : { ok: false, reason: reasonOf(result.error.issues[0]!) };
    },
  };
}

/** Every rule has its own message, which never contains a value; the path contains names of known fields only. */
function reasonOf({ path, message }: z.core.$ZodIssue): string {
  return `${path.length === 0 ? 'data' : path.join('.')}: ${message}`;
}

/** @throws Error when a rule has no JSON Schema */
function jsonSchemaOf(definition: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(definition, {
    io: 'input',
    unrepresentable: ({ zodSchema }) => (isDocumented(zodSchema) ? 'any' : 'throw'),
  });
  return inReadingOrder(schema) as JsonSchema;
}

function isDocumented(rule: z.core.$ZodType): boolean {
  const documented = z.globalRegistry.get(rule) ?? {};
  return 'type' in documented || 'anyOf' in documented;
}

const readFirst = ['title', 'description', 'type', 'enum', 'format', 'pattern', 'required'];

/** Orders a schema for readers: title and description, then the type, then the parts; a nullable type becomes `type: [<type>, null]`. */
function inReadingOrder(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(inReadingOrder);
  if (typeof node !== 'object' || node === null) return node;
  const schema = withNullBesideType(node as Record<string, unknown>);
  const names = [...readFirst.filter(name => name in schema), ...Object.keys(schema)];
  return Object.fromEntries(names.map(name => [name, inReadingOrder(schema[name])]));
}

function withNullBesideType({ anyOf, ...schema }: Record<string, unknown>): Record<string, unknown> {
  if (anyOf === undefined) return schema;
  const [inner, orNull] = anyOf as Record<string, unknown>[];
  const isNullable = orNull?.['type'] === 'null' && typeof inner?.['type'] === 'string' && !('enum' in inner);
  return isNullable ? { ...inner, ...schema, type: [inner['type'], 'null'] } : { ...schema, anyOf };
}

// Each rule has its own words after "must be", because zod's messages would quote the value, which may be personal data (T-16).

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
