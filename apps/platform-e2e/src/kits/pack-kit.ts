import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyOf, kitsFolder, run } from './receiver-kit';

/** Each makes the package of a kit as its language makes it; what lies in `to` afterwards is what an integrator is given. */

/** Gives the name of the archive. */
export async function packNode(to: string): Promise<string> {
  return (await run('npm', ['pack', '--silent', '--pack-destination', to], { cwd: join(kitsFolder, 'node') })).trim();
}

export async function packPython(folder: string, to: string): Promise<void> {
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
  await run('python3', [...pip, 'wheel', '--no-deps', '--wheel-dir', to, copyOf('python', folder)], { cwd: folder });
}

const goModule = ['paycode.example/receiver', 'v0.1.0'] as const;

/** A module archive in a file proxy, as `go` downloads it from any proxy. Gives what tells `go` of the proxy. */
export async function packGo(folder: string): Promise<{ path: string; version: string; env: Record<string, string> }> {
  const [path, version] = goModule;
  const source = copyOf('go', folder);
  rmSync(join(source, 'conform'), { recursive: true });
  const [tree, versions] = [join(folder, 'tree'), join(folder, 'proxy', path, '@v')];
  mkdirSync(join(tree, 'paycode.example'), { recursive: true });
  mkdirSync(versions, { recursive: true });
  renameSync(source, join(tree, `${path}@${version}`));
  // File by file: Go refuses an archive that holds folders.
  const files = readdirSync(join(tree, `${path}@${version}`)).flatMap(name => ['-C', tree, `${path}@${version}/${name}`]);
  await run('jar', ['--create', '--no-manifest', '--file', join(versions, `${version}.zip`), ...files], { cwd: folder });
  cpSync(join(tree, `${path}@${version}`, 'go.mod'), join(versions, `${version}.mod`));
  writeFileSync(join(versions, `${version}.info`), JSON.stringify({ Version: version }));
  writeFileSync(join(versions, 'list'), `${version}\n`);
  const env = {
    GOPROXY: `file://${join(folder, 'proxy')}`,
    GOMODCACHE: join(folder, 'modules'),
    GOFLAGS: '-mod=mod -modcacherw',
    GONOSUMDB: path,
    GOTOOLCHAIN: 'local',
  };
  return { path, version, env };
}

/** `javac` and `jar`, which is what Maven runs of the pom (no plugins are downloaded). Gives the jar. */
export async function packJava(folder: string, to: string): Promise<string> {
  const sources = 'src/main/java/com/paycode/receiver';
  const source = copyOf('java', folder);
  const files = readdirSync(join(source, sources)).map(file => join(sources, file));
  await run('javac', ['--release', '17', '-Xlint:all', '-Werror', '-d', 'target/classes', ...files], { cwd: source });
  const jar = join(to, 'paycode-receiver-0.1.0.jar');
  await run('jar', ['--create', '--file', jar, '-C', 'target/classes', '.'], { cwd: source });
  return jar;
}

/** As the page says; Maven downloads its plugins from Maven Central. Gives the jar. */
export async function packJavaWithMaven(folder: string): Promise<string> {
  const source = copyOf('java', folder);
  await run('mvn', ['--quiet', '--batch-mode', 'package'], { cwd: source });
  return join(source, 'target/paycode-receiver-0.1.0.jar');
}

/** Composer on a machine that knows no other repository than the folder of the archive. */
export function composerEnv(folder: string): Record<string, string> {
  const home = join(folder, 'composer');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'config.json'), '{"repositories":{"packagist.org":false}}');
  return { COMPOSER_ALLOW_SUPERUSER: '1', COMPOSER_HOME: home, COMPOSER_DISABLE_NETWORK: '1' };
}

export async function packPhp(folder: string, to: string): Promise<void> {
  const env = composerEnv(folder);
  await run('composer', ['archive', '--quiet', '--format=zip', `--dir=${to}`], { cwd: copyOf('php', folder), env });
}

/** Gives the gem. */
export async function packRuby(folder: string, to: string): Promise<string> {
  const gem = join(to, 'paycode_receiver-0.1.0.gem');
  await run('gem', ['build', '--output', gem, 'paycode_receiver.gemspec'], { cwd: copyOf('ruby', folder) });
  return gem;
}

/** A folder of gems beside those of the machine. */
export async function gemEnv(folder: string): Promise<Record<string, string>> {
  const machines = (await run('gem', ['env', 'gempath'], { cwd: folder })).trim();
  return { GEM_HOME: join(folder, 'gems'), GEM_PATH: `${join(folder, 'gems')}:${machines}` };
}
