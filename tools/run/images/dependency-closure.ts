import { isBuiltin } from 'node:module';

/** The part of package-lock.json (v3) that tells which packages need which. */
export interface LockFile {
  packages: Record<string, LockedPackage>;
}

interface LockedPackage {
  dev?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Names of the packages a bundle requires. `@a/b/c` is package `@a/b`. */
export function packagesRequiredBy(bundle: string): string[] {
  const specifiers = [...bundle.matchAll(/\b(?:require|import)\("([^"./][^"]*)"\)/g)].map(match => match[1]!);
  const names = specifiers.filter(specifier => !isBuiltin(specifier)).map(packageName);
  return [...new Set(names)].sort();
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Folders below the workspace (`node_modules/pg`, …) that `names` need, and theirs, as npm laid them out. Throws on a package that is not locked. */
export function dependencyClosure(lock: LockFile, names: readonly string[]): string[] {
  const found = new Set<string>();
  const open = names.map(name => locate(lock, '', name));
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (found.has(place)) continue;
    found.add(place);
    open.push(...neededBy(lock, place));
  }
  return [...found].sort();
}

/** The folders themselves. Throws on a package that is not locked or that is only a development dependency. */
export function forProduction(lock: LockFile, places: readonly string[]): readonly string[] {
  const missing = places.filter(place => !lock.packages[place]);
  if (missing.length > 0) throw new Error(`not in package-lock.json: ${missing.join(', ')}`);
  const development = places.filter(place => lock.packages[place]!.dev);
  if (development.length > 0) throw new Error(`needed at run time but only a development dependency: ${development.join(', ')}`);
  return places;
}

function neededBy(lock: LockFile, place: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = lock.packages[place]!;
  const peers = Object.keys(peerDependencies ?? {}).filter(name => !peerDependenciesMeta?.[name]?.optional);
  const needed = [...Object.keys(dependencies ?? {}), ...peers].map(name => locate(lock, place, name));
  // Of optional dependencies only those made for this machine are installed.
  const optional = Object.keys(optionalDependencies ?? {}).flatMap(name => find(lock, place, name) ?? []);
  return [...needed, ...optional];
}

function locate(lock: LockFile, from: string, name: string): string {
  const place = find(lock, from, name);
  if (place === undefined) throw new Error(`${name}, needed by ${from || 'the bundle'}, is not in package-lock.json`);
  return place;
}

/** Node's own search: the nearest node_modules on the way up. */
function find(lock: LockFile, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = parentOf(folder)) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock.packages[place]) return place;
    if (folder === '') return undefined;
  }
}

function parentOf(folder: string): string {
  const at = folder.lastIndexOf('/node_modules/');
  return at < 0 ? '' : folder.slice(0, at);
}
