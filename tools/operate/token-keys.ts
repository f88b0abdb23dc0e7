import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type TokenKeys = typeof import('@paycode/access/token-keys');

const file = join(import.meta.dirname, '../../libs/access/src/service-token/token-keys.ts');

/** Keys of service and operator tokens, for tools that run without a build: the workspace aliases do not exist there. */
export function loadTokenKeys(): Promise<TokenKeys> {
  return import(pathToFileURL(file).href) as Promise<TokenKeys>;
}
