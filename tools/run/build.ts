/**
 * Bundles an app with esbuild; SWC handles files with decorators so that Nest and TypeORM find their metadata.
 * Usage: node tools/run/build.ts <app> | ops | --all. Output: dist/apps/<app>/*.cjs; its imports from node_modules are in packages.cjs.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions, decorators, inAscii } from './build/bundle-options.ts';
import { serviceSettings } from './build/declarations.ts';
import { bundlePackages, fromPackageBundle } from './build/package-bundle.ts';
import { buildPortalPages, pagesApp } from './build/portal-pages.ts';

const root = join(import.meta.dirname, '../..');
/** The app that starts the services. */
const starter = 'standalone';

/** The operators' commands, which the ops image has in place of a service: files of apps/operations/src by the names of their bundles. */
const operators = 'ops';
const commands = { paycode: 'paycode-in-cluster', redrive: 'redrive', audit: 'audit' };

/** Entry points of an app by the names of their bundles: `main.ts` and what needs a file of its own: worker threads and modules loaded before a program. */
async function entryPoints(app: string): Promise<[name: string, file: string][]> {
  const folder = join(root, 'apps', app === operators ? 'operations' : app, 'src');
  if (app === operators) return Object.entries(commands).map(([name, file]) => [name, join(folder, `${file}.ts`)]);
  const files = await readdir(folder, { recursive: true });
  const entries = files.filter(file => file === 'main.ts' || /\.(worker|preload)\.ts$/.test(file));
  return entries.map(file => [basename(file, '.ts'), join(folder, file)]);
}

/** Bundles apps into dist/apps/<app>, or a single one into another folder of the workspace. Throws when an import cannot be resolved. */
export async function buildApps(
  names: readonly string[],
  folderOf = (app: string) => join(root, 'dist/apps', app),
): Promise<void> {
  const bundled = names.map(async app => {
    const entries = Object.fromEntries(await entryPoints(app));
    const imported = new Set<string>();
    const plugins = [decorators, fromPackageBundle(imported)];
    await build({ ...bundleOptions, plugins, entryPoints: entries, outdir: folderOf(app) });
    for (const name of Object.keys(entries)) await rewriteInAscii(join(folderOf(app), `${name}.cjs`));
    return [folderOf(app), imported] as const;
  });
  const pages = names.includes(pagesApp) ? buildPortalPages(folderOf(pagesApp)) : undefined;
  const settings = names.includes(starter) ? writeServiceSettings(folderOf(starter)) : undefined;
  const imports = new Map(await Promise.all(bundled));
  // With `--one-process` it runs all of them on one copy of their packages.
  if (imports.has(folderOf(starter)) && names.length > 1)
    imports.set(folderOf(starter), new Set([...imports.values()].flatMap(each => [...each])));
  await bundlePackages(imports);
  await Promise.all([pages, settings]);
}

/** The variables that each service reads, for the app that starts the services: every setting, and `<NAME>_FILE` of every secret. */
async function writeServiceSettings(folder: string): Promise<void> {
  const { [starter]: _own, ...services } = await serviceSettings();
  const names = Object.entries(services).map(([service, settings]) => [
    service,
    Object.entries(settings).flatMap(([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name])),
  ]);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'service-settings.json'), JSON.stringify(Object.fromEntries(names)));
}

async function rewriteInAscii(file: string): Promise<void> {
  await writeFile(file, inAscii(await readFile(file, 'utf8')));
}

/** Names of all apps that have a main.ts. */
export async function apps(): Promise<string[]> {
  const names = await readdir(join(root, 'apps'));
  return names.filter(name => existsSync(join(root, 'apps', name, 'src/main.ts')));
}

async function main(wanted: string[]): Promise<void> {
  const names = wanted.includes('--all') ? await apps() : wanted;
  if (names.length === 0) throw new Error('usage: node tools/run/build.ts <app> [...] | --all');
  await buildApps(names);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
