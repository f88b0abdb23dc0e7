/** `npm start`: builds what changed, then this process becomes that of the platform. */
import { enableCompileCache } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isSiteUpToDate } from './site/fingerprint.ts';

const root = join(import.meta.dirname, '../..');
/** V8's compiled code of the bundles and of node_modules. Each build empties it, because it would only grow. */
const compileCache = join(root, 'dist/compile-cache');
const fingerprintFile = join(root, 'dist/apps/fingerprint');
const buildInputs = [
  'package-lock.json',
  'tsconfig.base.json',
  'tools/run/build.ts',
  'tools/run/build/bundle-options.ts',
  'tools/run/build/declarations.ts',
  'tools/run/build/package-bundle.ts',
  'tools/run/build/portal-pages.ts',
];

/**
 * Builds all apps unless their sources are unchanged since the last build. Exits when the build fails, after printing its messages.
 */
function buildWhatChanged(say: (line: string) => void): void {
  const fingerprint = sourceFingerprint();
  if (existsSync(fingerprintFile) && readFileSync(fingerprintFile, 'utf8') === fingerprint) return;
  say('building (only when sources changed)');
  rmSync(compileCache, { recursive: true, force: true });
  const { status, error } = spawnSync(process.execPath, [join(root, 'tools/run/build.ts'), '--all'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) {
    process.stderr.write(`The build failed${error ? `: ${error.message}` : ''}.\n`);
    process.exit(1);
  }
  writeFileSync(fingerprintFile, fingerprint);
}

/** Changes when a source file of an app or library is added, removed or written. Looks at sizes and times, not at contents. */
function sourceFingerprint(): string {
  const hash = createHash('sha256');
  for (const file of [...buildInputs.map(name => join(root, name)), ...projectFolders().flatMap(sourceFiles)].sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function projectFolders(): string[] {
  return ['apps', 'libs'].flatMap(group => readdirSync(join(root, group)).map(name => join(root, group, name)));
}

function sourceFiles(project: string): string[] {
  const folders = ['src', 'migrations', 'public'].map(name => join(project, name)).filter(existsSync);
  return folders.flatMap(folder =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !/\.spec\.ts$/.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name)),
  );
}

const outputCharsMax = 4_000;

/**
 * Begins to build the documentation when a page has changed, beside the build of the apps; the promise ends with the process that builds. A site that cannot
 * be built is told and stops nobody: payments do not need it.
 */
async function buildDocumentation(say: (line: string) => void): Promise<void> {
  if (isSiteUpToDate(root)) return;
  say('building the documentation (only when pages changed)');
  // The channel ends the build when this process ends before it.
  const script = [join(root, 'tools/run.cjs'), 'run/site'];
  const child = spawn(process.execPath, script, { cwd: root, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let complaint = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-outputCharsMax)));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) say(`no documentation at /docs/; npm run generate -- site shows why: ${complaint.trim()}`);
  } catch (error) {
    say(`no documentation at /docs/: ${(error as Error).message}`);
  }
}

const platform = join(root, 'dist/apps/standalone/main.cjs');
/** As the services have them: most of the time it rests. */
const smallFlags = ['--max-semi-space-size=2', '--v8-pool-size=1'];
/** The services run in it too: `--optimize-for-size` would cost them speed. Passport's `new Buffer` would warn in the terminal. */
const oneProcessFlags = [...smallFlags, '--disable-warning=DEP0005'];
const restfulFlags = process.argv.includes('--one-process') ? oneProcessFlags : [...smallFlags, '--optimize-for-size'];

const say = (line: string) => process.stdout.write(`paycode: ${line}\n`);
const documentation = buildDocumentation(say);
buildWhatChanged(say);
await documentation;
if (process.connected) {
  // A parent ends the platform by ending its channel, which a new program would not have.
  enableCompileCache(compileCache);
  await import(pathToFileURL(platform).href);
} else {
  // The code that reads TypeScript would stay in memory as long as the platform runs: 10 to 15 MiB.
  process.execve!(process.execPath, [process.execPath, ...restfulFlags, platform, ...process.argv.slice(2)], {
    ...process.env,
    NODE_COMPILE_CACHE: compileCache,
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '131072',
    MALLOC_TRIM_THRESHOLD_: '131072',
  });
}
