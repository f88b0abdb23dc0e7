import { mapSchemas } from './portable.ts';

type Schema = Record<string, unknown>;

/** The document in OpenAPI 3.0, for generators that read no 3.1: the same calls and bodies, with fewer rules. */
export function openApi30({ info, ...document }: Schema): Schema {
  const { license, ...rest } = info as { license?: { name: string } };
  const mapped = mapSchemas(document, downgraded);
  return { ...mapped, openapi: '3.0.3', info: { ...rest, ...(license && { license: { name: license.name } }) } };
}

/** The document with amounts as `format: decimal`, for languages whose generators make a decimal type of it; others make 32 bits of it. */
export function withDecimals(document: Schema): Schema {
  const go = { 'x-go-type': 'json.Number', 'x-go-type-import': { path: 'encoding/json' } };
  return mapSchemas(document, schema => (schema['format'] === 'double' ? { ...schema, format: 'decimal', ...go } : schema));
}

/** Keywords that 3.0 does not know, and that say nothing about the form of a value. */
const unknown = ['contentMediaType', 'contentEncoding', 'contentSchema', 'dependentRequired', 'const'];

function downgraded(schema: Schema): Schema {
  const { $ref, ...siblings } = schema;
  if (typeof $ref === 'string' && Object.keys(siblings).length > 0) return { ...siblings, allOf: [{ $ref }] };
  const found = nullable(schema);
  const known = Object.entries(found).filter(([name]) => !unknown.includes(name));
  return { ...Object.fromEntries(known), ...constant(found), ...exclusive(found) };
}

function nullable(schema: Schema): Schema {
  const { type, anyOf, ...rest } = schema;
  if (Array.isArray(type)) return { ...rest, type: type.find(name => name !== 'null') as unknown, nullable: true };
  const alternatives = (anyOf as Schema[] | undefined)?.filter(alternative => alternative['type'] !== 'null');
  if (!alternatives || alternatives.length === (anyOf as Schema[]).length) return schema;
  return alternatives.length === 1
    ? { ...rest, allOf: alternatives, nullable: true }
    : { ...rest, anyOf: alternatives, nullable: true };
}

const constant = (schema: Schema): Schema => ('const' in schema && !('enum' in schema) ? { enum: [schema['const']] } : {});

const exclusive = ({ exclusiveMinimum }: Schema): Schema =>
  typeof exclusiveMinimum === 'number' ? { minimum: exclusiveMinimum, exclusiveMinimum: true } : {};
