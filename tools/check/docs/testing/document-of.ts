import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export type Json = Record<string, unknown>;

export interface Document extends Json {
  paths: Record<string, Record<string, { responses: Record<string, Json> }>>;
}

const root = join(__dirname, '../../../..');

/** The document as the generator makes it; it loads modules that Jest cannot. */
export function documentOf(name: string): Document {
  const script = `
    const { openApiPages } = await import('./tools/check/docs/openapi-pages.ts');
    const { parse } = await import('yaml');
    const page = (await openApiPages()).find(({ path }) => path.endsWith('/${name}.openapi.yaml'));
    process.stdout.write(JSON.stringify(parse(page.text)));`;
  const options = { cwd: root, maxBuffer: 64 * 1_024 * 1_024 };
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', script], options).toString()) as Document;
}

/** A member that the contract does not name is a mistake too: pages could come to need it. */
export function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  return 'properties' in copy && copy['type'] === 'object' ? { ...copy, additionalProperties: false } : copy;
}
