import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

export type Schema = Record<string, unknown>;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Schema;
}

/** One operation of an OpenAPI document, references replaced. */
export interface Operation {
  /** `public` for what the gateway serves, else the service whose internal listener answers. */
  service: string;
  /** `POST /pluto/code/create` */
  name: string;
  method: string;
  path: string;
  /** Answers without credentials. */
  isOpen: boolean;
  /** Of an internal call: who may make it. */
  callers: string[];
  parameters: Parameter[];
  body: Schema | undefined;
  examples: unknown[];
  /** Status to media type to schema; a status without content has no media types. */
  answers: Record<string, Record<string, Schema>>;
}

interface Described {
  description?: string;
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

export interface OpenApi {
  paths: Record<string, Record<string, Described>>;
  components?: { schemas?: Record<string, Schema> };
}

/**
 * Every operation that the OpenAPI documents of a folder describe: a new one is fuzzed without being listed anywhere. The calls of the portal's
 * pages are left out: they need a person's session.
 */
export function operationsIn(folder: string): Operation[] {
  const files = globSync('*.openapi.yaml', { cwd: folder })
    .filter(file => file !== 'console.openapi.yaml')
    .sort();
  if (files.length === 0) throw new Error(`no OpenAPI document lies in ${folder}`);
  return files.flatMap(file =>
    operationsOf(basename(file, '.openapi.yaml'), parse(readFileSync(join(folder, file), 'utf8')) as OpenApi),
  );
}

export function operationsOf(service: string, document: OpenApi): Operation[] {
  const whole = withoutReferences(document, document) as OpenApi;
  return Object.entries(whole.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...{ service, path, method: method.toUpperCase(), name: `${method.toUpperCase()} ${path}` },
      isOpen: described.security?.length === 0,
      callers: /Callers: ([^.]+)\./.exec(described.description ?? '')?.[1]?.split(', ') ?? [],
      parameters: described.parameters ?? [],
      ...bodyOf(described),
      answers: answersOf(described),
    })),
  );
}

function bodyOf({ requestBody }: Described): Pick<Operation, 'body' | 'examples'> {
  const content = requestBody?.content['application/json'];
  if (!content) return { body: undefined, examples: [] };
  const shown = Object.values(content.examples ?? {}).map(({ value }) => value);
  return { body: content.schema, examples: content.example === undefined ? shown : [content.example, ...shown] };
}

function answersOf({ responses }: Described): Operation['answers'] {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { content = {} }]) => [
      status,
      Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, schema ?? {}])),
    ]),
  );
}

const depthMax = 64;

function withoutReferences(value: unknown, document: OpenApi, depth = 0): unknown {
  if (depth > depthMax) throw new Error('the OpenAPI document refers to itself or is nested too deep');
  if (Array.isArray(value)) return value.map(item => withoutReferences(item, document, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const reference = (value as { $ref?: unknown }).$ref;
  if (typeof reference !== 'string')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutReferences(item, document, depth + 1)]));
  const found = reference
    .split('/')
    .slice(1)
    .reduce((part: unknown, key) => (part as Record<string, unknown> | undefined)?.[key], document);
  if (!found) throw new Error(`the OpenAPI document has no ${reference}`);
  return withoutReferences(found, document, depth + 1);
}
