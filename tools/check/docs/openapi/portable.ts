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
