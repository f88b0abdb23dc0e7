import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv, type ErrorObject } from 'ajv';
import { Document, visit } from 'yaml';

const root = join(import.meta.dirname, '../../..');

/** A generated file: path from the workspace root, and its whole text. */
export interface Page {
  path: string;
  text: string;
}

/** The parts of JSON Schema and of OpenAPI that the pages are made of. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  const?: string | number | boolean;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | false;
  pattern?: string;
  format?: string;
}

export interface Body {
  $ref?: string;
  content?: Record<string, { schema?: Schema; example?: object; examples?: Record<string, { value: object }> }>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: object[];
  parameters?: { $ref?: string; name: string; in: 'path' | 'query'; required?: boolean }[];
  requestBody?: Body;
  responses: Record<string, Body>;
}

export interface OpenApi {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** Whether the file of the page has its text. */
export function isCurrent({ path, text }: Page): boolean {
  try {
    return readFileSync(join(root, path), 'utf8') === text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Writes the pages that are not current, and gives their paths. Other processes never find half a page. */
export function writePages(pages: readonly Page[]): string[] {
  return pages
    .filter(page => !isCurrent(page))
    .map(({ path, text }) => {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.${process.pid}`, text);
      renameSync(`${file}.${process.pid}`, file);
      return path;
    });
}

const inlineCharsMax = 100;

/** YAML in which a map or a list that fits on one line stands on one, as people write it. `isInline`: takes its JSON. */
export function yamlOf(value: unknown, isInline: (json: string) => boolean = () => true): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  const isShort = (json: string): boolean => json.length <= inlineCharsMax && !json.includes('\\n') && isInline(json);
  visit(document, { Collection: (_, node) => void (node.flow = isShort(JSON.stringify(node))) });
  return document.toString({ lineWidth: 0 });
}

const require = createRequire(import.meta.url);
// CommonJS whose types promise a default export that Node does not see.
const addFormats = require('ajv-formats') as (ajv: Ajv) => void;
const problemsMax = 10;

/** Throws with the first problems when the document is not AsyncAPI 3.0.0 (schemas of the AsyncAPI initiative, offline). */
export function assertAsyncApi(document: unknown): void {
  const schema = JSON.parse(readFileSync(require.resolve('@asyncapi/specs/schemas/3.0.0-without-$id.json'), 'utf8')) as object;
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true });
  addFormats(ajv);
  const validate = ajv.compile(schema);
  if (!validate(document)) throw new Error(`not AsyncAPI 3.0.0:\n${listOf(validate.errors ?? [])}`);
}

/** Throws with the first problems when the document is not OpenAPI 3.1 or a reference leads nowhere. */
export async function assertOpenApi(document: object, name: string): Promise<void> {
  const validator = new Validator({ strict: false, validateFormats: false });
  const result = await validator.validate(structuredClone(document) as Record<string, unknown>);
  if (!result.valid)
    throw new Error(`${name} is not OpenAPI ${validator.version}:\n${JSON.stringify(result.errors, null, 1).slice(0, 4_000)}`);
  validator.resolveRefs();
}

function listOf(errors: ErrorObject[]): string {
  return errors
    .slice(0, problemsMax)
    .map(({ instancePath, message }) => `  ${instancePath}: ${message}`)
    .join('\n');
}
