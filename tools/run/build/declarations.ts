/** Prints what the sources declare, as JSON: settings of the services, and topics. An argument names another copy of the workspace. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadWorkspaceModules } from './bundle-options.ts';

const root = join(import.meta.dirname, '../../..');

export interface Setting {
  type: string;
  description: string;
  required: boolean;
  unit?: string;
  default?: unknown;
  values?: readonly string[];
  min?: number;
  max?: number;
  secret?: boolean;
  tier?: 'must' | 'fixed';
}

/** By service, then by name. */
export type Settings = Record<string, Record<string, Setting>>;

export interface Declarations {
  settings: Settings;
  topics: { name: string; partitions: number }[];
}

/** Every `apps/<service>/src/config/env.ts` exports one definition made by `defineEnv`. */
export async function serviceSettings(tree = root): Promise<Settings> {
  const fileOf = (service: string): string => join(tree, 'apps', service, 'src/config/env.ts');
  const services = readdirSync(join(tree, 'apps'))
    .filter(service => existsSync(fileOf(service)))
    .sort();
  const files = Object.fromEntries(services.map(service => [`${service}.env`, fileOf(service)]));
  const modules = await loadWorkspaceModules(files, tree);
  return Object.fromEntries(services.map(service => [service, settingsIn(modules[`${service}.env`]!, service)]));
}

function settingsIn(exports: Record<string, unknown>, service: string): Record<string, Setting> {
  const definitions = Object.values(exports).filter(
    (value): value is { schema: Record<string, Setting> } =>
      typeof value === 'object' && value !== null && 'schema' in value && 'read' in value,
  );
  if (definitions.length !== 1)
    throw new Error(`${service}: config/env.ts must export one defineEnv(...), it exports ${definitions.length}`);
  const settings = Object.entries(definitions[0]!.schema);
  return Object.fromEntries(settings.map(([name, setting]) => [name, { ...setting, required: !('default' in setting) }]));
}

async function declarationsOf(tree: string): Promise<Declarations> {
  const file = join(tree, 'libs/dto/src/index.ts');
  const [settings, modules] = await Promise.all([serviceSettings(tree), loadWorkspaceModules({ topics: file }, tree)]);
  return { settings, topics: modules['topics']!['topicCatalog'] as Declarations['topics'] };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.stdout.write(JSON.stringify(await declarationsOf(process.argv[2] ?? root)));
