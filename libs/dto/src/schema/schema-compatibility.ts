import type { JsonSchema } from './contract';

type Node = Record<string, unknown>;

/** Keywords that may only grow, and keywords that may only shrink, so that values that were valid stay valid. */
const mayGrow = ['maximum', 'maxLength', 'maxProperties'];
const mayShrink = ['minimum', 'minLength'];
const documentation = new Set(['$schema', '$id', 'title', 'description', 'examples']);
const handled = new Set([...mayGrow, ...mayShrink, 'properties', 'required', 'enum']);

/**
 * The changes from `before` to `after` that break readers or writers: a field that is removed, narrowed, newly required or no
 * longer guaranteed. Empty when `after` only adds optional fields or accepts more.
 */
export function breakingChanges(before: JsonSchema, after: JsonSchema, path = '$'): string[] {
  return [
    ...brokenProperties(before, after, path),
    ...brokenRequired(before, after, path),
    ...brokenBounds(before, after, path),
    ...brokenEnum(before, after, path),
    ...brokenRest(before, after, path),
  ];
}

function brokenProperties(before: JsonSchema, after: JsonSchema, path: string): string[] {
  const now = (after['properties'] ?? {}) as Record<string, JsonSchema>;
  return Object.entries((before['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(([name, schema]) =>
    now[name] ? breakingChanges(schema, now[name], `${path}.${name}`) : [`${path}.${name} was removed`],
  );
}

function brokenRequired(before: JsonSchema, after: JsonSchema, path: string): string[] {
  const [was, is] = [before, after].map(schema => new Set((schema['required'] ?? []) as string[])) as [Set<string>, Set<string>];
  return [
    ...[...was].filter(name => !is.has(name)).map(name => `${path}.${name} is no longer promised`),
    ...[...is].filter(name => !was.has(name)).map(name => `${path}.${name} became required`),
  ];
}

function brokenBounds(before: Node, after: Node, path: string): string[] {
  const isNarrower = (key: string, factor: 1 | -1): boolean =>
    after[key] !== undefined && (before[key] === undefined || factor * (after[key] as number) < factor * (before[key] as number));
  return [...mayGrow.filter(key => isNarrower(key, 1)), ...mayShrink.filter(key => isNarrower(key, -1))].map(
    key => `${path}: ${key} was narrowed`,
  );
}

function brokenEnum(before: Node, after: Node, path: string): string[] {
  if (before['enum'] === undefined && after['enum'] === undefined) return [];
  if (before['enum'] === undefined) return [`${path}: was narrowed to a list of values`];
  const is = new Set((after['enum'] ?? before['enum']) as unknown[]);
  return (before['enum'] as unknown[])
    .filter(value => !is.has(value))
    .map(value => `${path}: value ${String(value)} was removed`);
}

/**
 * Any other keyword (type, pattern, format, anyOf, …) must not change, because the code cannot tell whether a change
 * narrows it.
 */
function brokenRest(before: Node, after: Node, path: string): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys]
    .filter(key => !documentation.has(key) && !handled.has(key))
    .filter(key => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map(key => `${path}: ${key} changed`);
}
