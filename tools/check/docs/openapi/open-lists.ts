type Schema = Record<string, unknown>;

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
