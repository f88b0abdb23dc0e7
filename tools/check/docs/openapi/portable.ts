type Schema = Record<string, unknown>;

const int32Max = 2 ** 31 - 1;
/** Syntax that RE2 (Go) and Java do not know, or read differently: look-around, back references, the empty negated class of JavaScript. */
const unportable = /\(\?<?[=!]|\\[1-9]|\[\^\]/;
const keywordsWithSchemas = new Set(['properties', 'schemas', '$defs', 'patternProperties']);
const examples = new Set(['example', 'examples', 'enum', 'const', 'default']);

/**
 * The document as generators of clients in other languages read it: `int64` and `double` where 32 bits are too few, a type beside each `const`.
 * @throws Error
 */
export function portable(document: Schema): Schema {
  return mapSchemas(document, widened);
}

type Change = (schema: Schema, path: string[]) => Schema;

/** The document with every object in it changed, schemas and others; examples and the names of members stay. */
export function mapSchemas(document: Schema, change: Change): Schema {
  return visited(document, [], change) as Schema;
}

function visited(node: unknown, path: string[], change: Change): unknown {
  if (Array.isArray(node)) return node.map((item, at) => visited(item, [...path, String(at)], change));
  if (typeof node !== 'object' || node === null) return node;
  const isSchema = !keywordsWithSchemas.has(path.at(-1) ?? '');
  const found = isSchema ? change(node as Schema, path) : (node as Schema);
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [
      name,
      isSchema && examples.has(name) ? value : visited(value, [...path, name], change),
    ]),
  );
}

function widened(node: Schema, path: string[]): Schema {
  assertPortable(node, path);
  if (isLong(node)) return { ...node, format: 'int64' };
  // Without a format, Go's generators read 32 bits: a cent is wrong from 131,072 on.
  if ([node['type']].flat().includes('number') && !('format' in node)) return { ...node, format: 'double' };
  return 'const' in node && !('type' in node) ? { type: typeof node['const'], ...node } : node;
}

function assertPortable({ pattern }: Schema, path: string[]): void {
  if (typeof pattern === 'string' && unportable.test(pattern))
    throw new Error(`${path.join('.')}: other languages cannot read the pattern ${pattern}`);
}

/** An integer that nothing keeps within 32 bits: an id, an instant, a number of the bank. */
function isLong({ type, maximum, format }: Schema): boolean {
  const isInteger = type === 'integer' || (Array.isArray(type) && type.includes('integer'));
  return isInteger && format === undefined && (typeof maximum !== 'number' || maximum > int32Max);
}

/**
 * Components of the code, with what the notes add to them: words, formats and bounds that no type says, and components of their own.
 * @throws Error when the notes speak of a property that the type has not
 */
export function overlaid(ofCode: Record<string, Schema>, ofNotes: Record<string, Schema>): Record<string, Schema> {
  const named = Object.entries(ofNotes).map(([name, said]): [string, Schema] => [
    name,
    ofCode[name] ? withSaid(ofCode[name], said, name) : said,
  ]);
  return { ...ofCode, ...Object.fromEntries(named) };
}

function withSaid(schema: Schema, { properties: said = {}, ...rest }: Schema, name: string): Schema {
  const properties = { ...(schema['properties'] as Record<string, Schema>) };
  for (const [property, words] of Object.entries(said as Record<string, Schema>)) {
    if (!properties[property]) throw new Error(`the notes speak of ${name}.${property}, which its type has not`);
    properties[property] = { ...properties[property], ...words };
  }
  return { ...schema, ...rest, properties };
}

/** The components that the rest of the document needs, directly or through others: notes may describe an answer better than its type. */
export function referenced(components: Record<string, Schema>, rest: unknown): Record<string, Schema> {
  const needed = new Set<string>();
  const visit = (node: unknown): void => {
    for (const [, name] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (needed.has(name!)) continue;
      needed.add(name!);
      visit(components[name!] ?? {});
    }
  };
  visit(rest);
  return Object.fromEntries(Object.entries(components).filter(([name]) => needed.has(name)));
}

/** The key under which the known values of a list stand that may grow. */
export const knownValues = 'x-extensible-enum';

const isNull = ({ type }: Schema): boolean => type === 'null';
const isNullable = ({ type }: Schema): boolean => [type].flat().includes('null');

/**
 * A list of texts as one that may grow: a plain string beside its known values. Clients that are generated with a closed list throw for a value that
 * they do not know, and for one of an `anyOf`. Any other schema stays as it is.
 */
export function openList(schema: Schema): Schema {
  const { enum: own, anyOf, type, ...rest } = schema;
  const alternatives = (anyOf as Schema[] | undefined) ?? [{ type, enum: own }];
  const texts = alternatives.filter(alternative => !isNull(alternative));
  const values = texts.flatMap(text => (text['enum'] ?? []) as unknown[]).filter(value => typeof value === 'string');
  const areTexts = texts.every(text => [text['type']].flat().includes('string') && text['$ref'] === undefined);
  if (values.length === 0 || !areTexts || 'const' in schema) return schema;
  return { type: alternatives.some(isNullable) ? ['string', 'null'] : 'string', ...rest, [knownValues]: values };
}

/** Every list below a node is one that may grow, and its description names the values. */
export function withOpenLists<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withOpenLists) as T;
  if (typeof node !== 'object' || node === null) return node;
  const open = openList(node as Schema);
  const children = Object.fromEntries(Object.entries(open).map(([name, child]) => [name, withOpenLists(child)]));
  return (open === node ? children : described(children)) as T;
}

function described(schema: Schema): Schema {
  const values = (schema[knownValues] as string[]).map(value => `\`${value}\``).join(', ');
  const said = [schema['description'], `Known values: ${values}. Others may come.`];
  return { ...schema, description: said.filter(Boolean).join(' ') };
}

const ids = / ?\((?:[A-Z]-[A-Z\d.-]+(?:, )?)+\)/g;

/** The same document with words that say no id of ours: its readers have no page that explains them. @throws Error when one is left */
export function withoutIds<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withoutIds) as T;
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, child]: [string, unknown]) => [
      name,
      isWord(name, child) ? worded(child) : withoutIds(child),
    ]),
  ) as T;
}

const isWord = (name: string, child: unknown): child is string =>
  (name === 'description' || name === 'summary') && typeof child === 'string';

function worded(text: string): string {
  const plain = text.replace(ids, '');
  if (/\b[RAPTF]-\d/.test(plain)) throw new Error(`public words name an id of ours: ${plain}`);
  return plain;
}

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
  const [only, ...others] = alternatives;
  if (others.length > 0) return { ...rest, anyOf: alternatives, nullable: true };
  // 3.0 reads `nullable` only beside a type. A schema with a name of its own is one of an object.
  return '$ref' in only! ? { ...rest, type: 'object', allOf: [only], nullable: true } : { ...only, ...rest, nullable: true };
}

const constant = (schema: Schema): Schema => ('const' in schema && !('enum' in schema) ? { enum: [schema['const']] } : {});

const exclusive = ({ exclusiveMinimum }: Schema): Schema =>
  typeof exclusiveMinimum === 'number' ? { minimum: exclusiveMinimum, exclusiveMinimum: true } : {};
