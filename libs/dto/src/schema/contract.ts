import * as z from 'zod';

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type ParseResult<T> = { ok: true; value: T } | { ok: false; reason: string };

/** The rules of a message from one definition: JSON Schema for documents and other languages, a parser for the hot path. */
export interface Contract<T> {
  readonly schema: JsonSchema;
  /**
   * Returns the value without unknown members, so that a newer producer may add some, or a reason that is safe for logs and dead letters
   * (T-16).
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

/**
 * Orders a schema for readers: title and description, then the type, then the parts; a nullable type becomes `type: [<type>, null]`.
 */
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
