import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { Page } from './page.ts';
import { loadWorkspaceModules } from '../../run/build/workspace-modules.ts';

const root = join(import.meta.dirname, '../../..');

type Schema = Record<string, unknown>;

interface Contracts {
  publishedContracts(): Record<string, Schema>;
  breakingChanges(before: Schema, after: Schema): string[];
}

/**
 * libs/dto/contracts: the JSON Schema of each event and of the notification, as published. A change that only adds replaces the published
 * file. A change that would break readers or writers is refused, because it needs a new version. @throws Error
 */
export async function contractPages(): Promise<Page[]> {
  const modules = await loadWorkspaceModules({ dto: join(root, 'libs/dto/src/index.ts') });
  const { publishedContracts, breakingChanges } = modules['dto'] as unknown as Contracts;
  return Promise.all(
    Object.entries(publishedContracts()).map(async ([name, schema]) => {
      const path = `libs/dto/contracts/${name}.schema.json`;
      const broken = existsSync(join(root, path))
        ? breakingChanges(JSON.parse(readFileSync(join(root, path), 'utf8')) as Schema, schema)
        : [];
      if (broken.length > 0)
        throw new Error(`${path}: others rely on it, so give the change a new version:\n${broken.join('\n')}`);
      return { path, text: await asJson(path, { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }) };
    }),
  );
}

async function asJson(path: string, value: object): Promise<string> {
  const file = join(root, path);
  return format(JSON.stringify(value, null, 2), { ...(await resolveConfig(file)), filepath: file });
}
