import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyPlugin, madeOnce } from '../../run/kafka/distribution.ts';

const run = promisify(execFile);
const pins = join(import.meta.dirname, 'toolchain');
const generator = 'openapi-generator-cli-7.14.0.jar';
const generatorArtifact = 'org.openapitools:openapi-generator-cli:7.14.0';
const generatorSha256 = 'e03186835022ca02da4aa95e3967b6a3b6d44c2e5f7606e6d5c22466f519c757';
const fetchedWithinMs = 600_000;

export type Toolchain = Awaited<ReturnType<typeof toolchain>>;

/** Programs that no registry brings, each with the words that make it end well. Python needs venv. */
export const needed = {
  python3: ['-c', 'import venv, ensurepip'],
  java: ['-version'],
  javac: ['-version'],
  mvn: ['-v'],
  go: ['version'],
};

/** The toolchain, in the user's cache folder; fetched on first use (some 180 MB). Everything is pinned. @throws Error when a registry cannot be reached */
export async function toolchain() {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const home = join(cache, 'paycode', `contracts-${pinsHash()}`);
  // A virtual environment knows its own path, so it is made where it stays; the others move there once they are whole.
  await madeOnce(join(home, 'maven'), fetchMaven);
  await madeOnce(join(home, 'npm'), fetchNpm);
  const python = join(home, 'python');
  await madeOnce(join(home, 'python-complete'), async marker => {
    await makePython(python);
    mkdirSync(marker);
  });
  const generatorJar = join(home, 'maven', generator);
  assertChecksum(generatorJar);
  return {
    generatorJar,
    javaClassPath: join(home, 'maven/libraries/*'),
    /** With `python` and `schemathesis`. */
    pythonBin: join(python, 'bin'),
    /** Its node_modules have the validators. */
    npmFolder: join(home, 'npm'),
  };
}

function pinsHash(): string {
  const hash = createHash('sha256').update(generatorSha256);
  for (const file of globSync('*', { cwd: pins }).sort()) hash.update(readFileSync(join(pins, file)));
  return hash.digest('hex').slice(0, 12);
}

async function fetchMaven(folder: string): Promise<void> {
  mkdirSync(folder);
  const maven = (args: string[]) => run('mvn', ['-B', '-q', '-f', join(pins, 'pom.xml'), ...args], { timeout: fetchedWithinMs });
  await maven([`${copyPlugin}:copy`, `-Dartifact=${generatorArtifact}`, `-DoutputDirectory=${folder}`]);
  await maven([`${copyPlugin}:copy-dependencies`, `-DoutputDirectory=${join(folder, 'libraries')}`]);
}

async function fetchNpm(folder: string): Promise<void> {
  mkdirSync(folder);
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(pins, file), join(folder, file));
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, timeout: fetchedWithinMs });
}

async function makePython(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', folder], { timeout: fetchedWithinMs });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', join(pins, 'requirements.txt')];
  await run(join(folder, 'bin/python'), pip, { timeout: fetchedWithinMs });
}

function assertChecksum(file: string): void {
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (sha256 !== generatorSha256) throw new Error(`${file} is not the generator that is pinned: its SHA-256 is ${sha256}`);
}
