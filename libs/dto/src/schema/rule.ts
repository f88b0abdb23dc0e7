/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * What a value must be: once as JSON Schema for documents and other languages, once as code for the hot path. Both come from
 * one definition; a property test holds them together.
 */
export interface Rule<T> {
  readonly schema: JsonSchema;
  /** The field may be missing. */
  readonly isOptional?: boolean | undefined;
  /** null when the value is fine, else `<path>: must be …`; never repeats a value, so it may be logged or put into a dead letter (T-16). */
  problem(value: unknown, path: string): string | null;
  /** The value without unknown members; only called when `problem` is null. */
  read(value: unknown): T;
}

export type ParseResult<T> = { ok: true; value: T } | { ok: false; reason: string };

/** Whether the value is an object with named members: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A rule from a schema, the words after "must be", and a test. */
export function rule<T>(schema: JsonSchema, expectation: string, accepts: (value: unknown) => boolean): Rule<T> {
  return {
    schema,
    problem: (value, path) => (accepts(value) ? null : `${path}: must be ${expectation}`),
    read: value => value as T,
  };
}

/** The same rule with a description in its schema. */
export function described<T>(description: string, inner: Rule<T>): Rule<T> {
  const schema = { description, ...inner.schema };
  return {
    schema,
    isOptional: inner.isOptional,
    problem: (value, path) => inner.problem(value, path),
    read: value => inner.read(value),
  };
}

/** null, or what the rule says. */
export function nullable<T>(inner: Rule<T>): Rule<T | null> {
  return {
    schema: nullableSchema(inner.schema),
    problem: (value, path) => (value === null ? null : inner.problem(value, path)),
    read: value => (value === null ? null : inner.read(value)),
  };
}

/** Missing, or what the rule says; null is not "missing". */
export function optional<T>(inner: Rule<T>): Rule<T | undefined> {
  return {
    schema: inner.schema,
    isOptional: true,
    problem: (value, path) => (value === undefined ? null : inner.problem(value, path)),
    read: value => (value === undefined ? undefined : inner.read(value)),
  };
}

function nullableSchema(schema: JsonSchema): JsonSchema {
  const { description, ...rest } = schema;
  const isSimple = typeof rest['type'] === 'string' && !('enum' in rest);
  const widened = isSimple ? { ...rest, type: [rest['type'], 'null'] } : { anyOf: [rest, { type: 'null' }] };
  return description === undefined ? widened : { description, ...widened };
}
