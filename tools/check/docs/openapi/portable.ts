type Schema = Record<string, unknown>;

const int32Max = 2 ** 31 - 1;
/** Syntax that RE2 (Go) and Java do not know, or read differently: look-around, back references, the empty negated class of JavaScript. */
const unportable = /\(\?<?[=!]|\\[1-9]|\[\^\]/;
const keywordsWithSchemas = new Set(['properties', 'schemas', '$defs', 'patternProperties']);
const examples = new Set(['example', 'examples', 'enum', 'const', 'default']);

/** The document as generators of clients in other languages read it: `int64` where 32 bits are too few, a type beside each `const`. @throws Error */
export function portable(document: Schema): Schema {
  return visited(document, []) as Schema;
}

function visited(node: unknown, path: string[]): unknown {
  if (Array.isArray(node)) return node.map((item, at) => visited(item, [...path, String(at)]));
  if (typeof node !== 'object' || node === null) return node;
  const isSchema = !keywordsWithSchemas.has(path.at(-1) ?? '');
  const found = isSchema ? widened(node as Schema, path) : (node as Schema);
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [
      name,
      isSchema && examples.has(name) ? value : visited(value, [...path, name]),
    ]),
  );
}

function widened(node: Schema, path: string[]): Schema {
  assertPortable(node, path);
  if (isLong(node)) return { ...node, format: 'int64' };
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
