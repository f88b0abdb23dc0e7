/** Makes the package of each kit as its language makes it. The release, the site of a platform and the tests of the kits call this. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export interface PackOptions {
  /** The folder kits/. */
  kits: string;
  /** Where packages go. */
  to: string;
  /** SOURCE_DATE_EPOCH: every time in a package is this one. */
  epochS: number;
}

interface Packer {
  /** Programs that must be there, with the argument that proves it. */
  needs: [command: string, argument: string][];
  pack(source: string, options: PackOptions): void;
}

/** A tool may download what it builds with. */
const toolMs = 300_000;
const goModule = 'paycode.example/receiver';
const goVersion = 'v0.1.0';
const javaVersion = '0.1.0';

function run(command: string, args: string[], { cwd, epochS }: { cwd: string; epochS: number }): void {
  const env = { ...process.env, NODE_OPTIONS: '', SOURCE_DATE_EPOCH: String(epochS), LC_ALL: 'C.UTF-8' };
  execFileSync(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], timeout: toolMs });
}

/** A zip of names in this order, with one time: `jar` writes it alike on every machine. */
function zip(archive: string, names: string[], { cwd, epochS }: { cwd: string; epochS: number }): void {
  // A zip has no time before 1980.
  const date = new Date(Math.max(epochS, 315_619_200) * 1_000).toISOString().replace('.000', '');
  const each = names.flatMap(name => ['-C', cwd, name]);
  run('jar', ['--create', '--no-manifest', `--date=${date}`, '--file', archive, ...each], { cwd, epochS });
}

/** Paths of files, sorted: file by file, because an archive of a Go module must not hold folders. */
function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  return entries.map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
}

const npm: Packer = {
  needs: [['npm', '--version']],
  // In its place, because `prepack` takes the compiler of the workspace.
  pack: (source, { to, epochS }) => run('npm', ['pack', '--silent', '--pack-destination', to], { cwd: source, epochS }),
};

const packers: Record<string, Packer> = {
  node: npm,
  'paycode-dev': npm,
  python: {
    needs: [['python3', '--version']],
    pack: (source, { to, epochS }) => {
      const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
      run('python3', [...pip, 'wheel', '--no-deps', '--wheel-dir', to, source], { cwd: source, epochS });
    },
  },
  go: { needs: [['jar', '--version']], pack: packGo },
  java: {
    needs: [
      ['javac', '--version'],
      ['jar', '--version'],
    ],
    pack: packJava,
  },
  php: {
    needs: [['jar', '--version']],
    pack: (source, options) => {
      for (const name of ['conform', 'frameworks']) rmSync(join(source, name), { recursive: true });
      zip(join(options.to, 'paycode-receiver-0.1.0.zip'), filesBelow(source), { cwd: source, ...options });
    },
  },
  ruby: {
    needs: [['gem', '--version']],
    pack: (source, { to, epochS }) => {
      const gem = join(to, 'paycode_receiver-0.1.0.gem');
      run('gem', ['build', '--output', gem, 'paycode_receiver.gemspec'], { cwd: source, epochS });
    },
  },
  csharp: {
    needs: [['dotnet', '--version']],
    pack: (source, { to, epochS }) => {
      rmSync(join(source, 'conform'), { recursive: true });
      run('dotnet', ['pack', '--output', to], { cwd: source, epochS });
    },
  },
};

export const kitNames = Object.keys(packers);

/** As a file proxy of Go has a module. */
function packGo(source: string, options: PackOptions): void {
  rmSync(join(source, 'conform'), { recursive: true });
  const versions = join(options.to, 'go', goModule, '@v');
  const tree = join(dirname(source), 'tree');
  const module = join(tree, `${goModule}@${goVersion}`);
  mkdirSync(dirname(module), { recursive: true });
  mkdirSync(versions, { recursive: true });
  cpSync(join(source, 'go.mod'), join(versions, `${goVersion}.mod`));
  renameSync(source, module);
  zip(join(versions, `${goVersion}.zip`), filesBelow(tree), { cwd: tree, ...options });
  const time = new Date(options.epochS * 1_000).toISOString();
  writeFileSync(join(versions, `${goVersion}.info`), JSON.stringify({ Version: goVersion, Time: time }));
  writeFileSync(join(versions, 'list'), `${goVersion}\n`);
}

/** As a Maven repository has it, with sources and Javadoc. `javac` and `jar` do what Maven does with the pom: no plugins are downloaded. */
function packJava(source: string, options: PackOptions): void {
  const folder = join(options.to, 'maven/com/paycode/paycode-receiver', javaVersion);
  mkdirSync(folder, { recursive: true });
  const sources = join(source, 'src/main/java');
  const files = filesBelow(sources);
  const [classes, pages] = [join(source, 'target/classes'), join(source, 'target/javadoc')];
  const at = { cwd: sources, epochS: options.epochS };
  run('javac', ['--release', '17', '-Xlint:all', '-Werror', '-d', classes, ...files], at);
  run('javadoc', ['-quiet', '-notimestamp', '-Xdoclint:none', '-d', pages, ...files], at);
  for (const [kind, tree] of [
    ['', classes],
    ['-sources', sources],
    ['-javadoc', pages],
  ] as const) {
    cpSync(join(source, 'LICENSE'), join(tree, 'META-INF/LICENSE'));
    zip(join(folder, `paycode-receiver-${javaVersion}${kind}.jar`), filesBelow(tree), { cwd: tree, epochS: options.epochS });
  }
  cpSync(join(source, 'pom.xml'), join(folder, `paycode-receiver-${javaVersion}.pom`));
}

/** Why a kit cannot be packed on this machine; undefined when it can. */
export function missingFor(kit: string): string | undefined {
  const missing = packers[kit]!.needs.filter(([command, argument]) => spawnSync(command, [argument]).status !== 0);
  return missing.length === 0 ? undefined : `${missing.map(([command]) => command).join(' and ')} not installed`;
}

/** Packs a kit from a copy, so that building leaves nothing behind in the sources. @throws Error with what its tool said */
export function packKit(kit: string, options: PackOptions): void {
  mkdirSync(options.to, { recursive: true });
  const packer = packers[kit]!;
  const origin = join(options.kits, kit);
  if (packer === npm) return packer.pack(origin, { ...options, to: resolve(options.to) });
  const folder = mkdtempSync(join(tmpdir(), 'paycode-pack-'));
  try {
    const source = join(folder, kit);
    cpSync(origin, source, {
      recursive: true,
      filter: each => !/\/(dist|target|vendor|build|bin|obj|[^/]*\.egg-info|__pycache__)$/.test(each),
    });
    const licence = join(options.kits, '../LICENSE');
    if (existsSync(licence)) cpSync(licence, join(source, 'LICENSE'));
    packer.pack(source, { ...options, to: resolve(options.to) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
