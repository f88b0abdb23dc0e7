/**
 * Makes the content of a container image of an app: its bundles, the packages that stay apart from them, and the manifests of the bundled
 * ones; nothing else.
 * Usage: node tools/run/images/assemble.ts <app> <folder> [<app> <folder>...]. The apps are built before (tools/run/build.ts).
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isApart, packageList, type PackageList } from '../build/package-bundle.ts';
import { pagePackages } from '../build/portal-pages.ts';
import { imageBom, packagesAt, sbomFile, textOf, workspaceBom } from './sbom.ts';

const root = join(import.meta.dirname, '../../..');
/** Answers of npm: most apps have the same packages beside their bundles. */
const queried = new Map<string, { location: string }[]>();

/**
 * Fills `target` again and returns the number of packages. Source maps are left out to keep images small, so stack traces name lines
 * of the bundle.
 */
export function assemble(app: string, target: string, workspace = workspaceBom()): number {
  const { dist, bundles, bundled, installed, places } = imagePackages(app);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const bundle of bundles) cpSync(join(dist, bundle), join(target, bundle));
  if (app === 'ops') for (const bundle of bundles) writeCommand(target, bundle);
  const pages = join(dist, 'web');
  if (existsSync(pages)) cpSync(pages, join(target, 'web'), { recursive: true });
  // Scanners for vulnerabilities and licences find every package by its manifest, as in node_modules.
  for (const place of bundled) copyPackage(join(root, place), join(target, place), isAboutPackage);
  for (const place of installed) copyPackage(join(root, place), join(target, place));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  writeFileSync(join(target, 'package.json'), JSON.stringify({ name: `paycode-${app}`, version, private: true }));
  writeFileSync(join(target, sbomFile), textOf(imageBom(workspace, app, packagesAt(places))));
  // The user of the image owns none of the files, and the umask of whoever builds, or checked out, may hide them from it.
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', target]);
  return places.length;
}

/** A command by its own name. Written here, because a stage of the Dockerfile that runs nothing needs no machine of the image's platform. */
function writeCommand(target: string, bundle: string): void {
  const text = `#!/bin/sh\nexec node /app/${bundle} "$@"\n`;
  writeFileSync(join(target, bundle.replace(/\.cjs$/, '')), text, { mode: 0o755 });
}

/** The packages in an image of the built app. @throws on a package that is not locked or only for development */
export function imagePackages(app: string) {
  const dist = join(root, 'dist/apps', app);
  const bundles = readdirSync(dist).filter(file => file.endsWith('.cjs'));
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  const inBundles = placesIn(join(dist, packageList));
  const inPages = existsSync(join(dist, pagePackages)) ? placesIn(join(dist, pagePackages)) : [];
  const apart = bundles.flatMap(bundle => packagesRequiredBy(readFileSync(join(dist, bundle), 'utf8'))).filter(isApart);
  const installed = placesOf([...new Set(apart)].sort());
  // No process loads what pages are made of, so it may be a development dependency.
  const places = [...new Set([...forProduction(lock, [...inBundles, ...installed]), ...inPages])];
  // `bundled` is inside the bundles and the pages, `installed` lies beside them; `places`, in the lock file, are both.
  return { dist, bundles, bundled: [...new Set([...inBundles, ...inPages])], installed, places };
}

function placesIn(file: string): string[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as PackageList).places;
}

const notNeeded = /(\.d\.[cm]?ts|\.map|\.md|\.markdown)$|\/(test|tests|__tests__|docs|example|examples|\.github)$/;

const isAboutPackage = (path: string) => path === '' || /^\/(package\.json|licen[cs]e.*|notice.*)$/i.test(path);

/** Packages below it have places of their own. */
function copyPackage(from: string, to: string, isWanted = (path: string) => !notNeeded.test(path)): void {
  const own = join(from, 'node_modules');
  cpSync(from, to, {
    recursive: true,
    dereference: true,
    filter: source => !source.startsWith(own) && isWanted(source.slice(from.length)),
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const words = process.argv.slice(2);
  if (words.length === 0 || words.length % 2 === 1) throw new Error('usage: node tools/run/images/assemble.ts <app> <folder>...');
  const workspace = workspaceBom();
  for (let at = 0; at < words.length; at += 2)
    console.log(`${words[at]}: ${assemble(words[at]!, words[at + 1]!, workspace)} packages in ${words[at + 1]}`);
}

/** The part of package-lock.json (v3) that is read here. */
interface LockFile {
  packages: Record<string, { dev?: boolean }>;
}

/** Names of the packages a bundle requires. `@a/b/c` is package `@a/b`. */
function packagesRequiredBy(bundle: string): string[] {
  const specifiers = [...bundle.matchAll(/\b(?:require|import)\("([^"./][^"]*)"\)/g)].map(match => match[1]!);
  return specifiers.filter(each => !isBuiltin(each)).map(each => /^(@[^/]+\/)?[^/]+/.exec(each)![0]);
}

/** Folders below the workspace (`node_modules/pg`, …) of these packages, and of what they need, as npm laid them out. */
function placesOf(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const selector = names.flatMap(name => [`:root > [name="${name}"]`, `:root > [name="${name}"] *`]).join(', ');
  const query = (): string => execFileSync('npm', ['query', selector], { cwd: root, encoding: 'utf8' });
  const found = queried.get(selector) ?? (JSON.parse(query()) as { location: string }[]);
  queried.set(selector, found);
  const places = found.map(({ location }) => location);
  const missing = names.filter(name => !places.includes(`node_modules/${name}`));
  if (missing.length > 0) throw new Error(`needed by the bundle, and no dependency: ${missing.join(', ')}`);
  return [...new Set(places)].sort();
}

/** The folders themselves. Throws on a package that is not locked or that is only a development dependency. */
function forProduction(lock: LockFile, places: readonly string[]): readonly string[] {
  const missing = places.filter(place => !lock.packages[place]);
  if (missing.length > 0) throw new Error(`not in package-lock.json: ${missing.join(', ')}`);
  const development = places.filter(place => lock.packages[place]!.dev);
  if (development.length > 0) throw new Error(`needed at run time but only a development dependency: ${development.join(', ')}`);
  return places;
}
