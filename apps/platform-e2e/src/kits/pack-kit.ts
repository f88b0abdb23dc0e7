import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packKit } from '../../../../kits/pack';
import { copyOf, kitsFolder, run } from './receiver-kit';

/** Each makes the package of a kit as its language makes it; what lies in `to` afterwards is what an integrator is given. */

/** Gives the name of the archive. */
export async function packNode(to: string): Promise<string> {
  return (await run('npm', ['pack', '--silent', '--pack-destination', to], { cwd: join(kitsFolder, 'node') })).trim();
}

/** The package of a kit, made as a release makes it. */
const packed = (kit: string, to: string) => packKit(kit, { kits: kitsFolder, to, epochS: Math.floor(Date.now() / 1_000) });

export async function packPython(_folder: string, to: string): Promise<void> {
  packed('python', to);
}

/** Gives the module, and what tells `go` of the folder in which it lies as a proxy has it. */
export async function packGo(folder: string): Promise<{ path: string; version: string; env: Record<string, string> }> {
  packed('go', join(folder, 'packages'));
  const env = {
    GOPROXY: `file://${join(folder, 'packages/go')}`,
    GOMODCACHE: join(folder, 'modules'),
    GOFLAGS: '-mod=mod -modcacherw',
    GONOSUMDB: 'paycode.example',
    GOTOOLCHAIN: 'local',
  };
  return { path: 'paycode.example/receiver', version: 'v0.1.0', env };
}

/** Gives the jar. */
export async function packJava(folder: string, to: string): Promise<string> {
  packed('java', join(folder, 'packages'));
  const jar = join(to, 'paycode-receiver-0.1.0.jar');
  cpSync(join(folder, 'packages/maven/com/paycode/paycode-receiver/0.1.0/paycode-receiver-0.1.0.jar'), jar);
  return jar;
}

export async function packPhp(_folder: string, to: string): Promise<void> {
  packed('php', to);
}

/** Gives the gem. */
export async function packRuby(_folder: string, to: string): Promise<string> {
  packed('ruby', to);
  return join(to, 'paycode_receiver-0.1.0.gem');
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

/** A folder of gems beside those of the machine. */
export async function gemEnv(folder: string): Promise<Record<string, string>> {
  const machines = (await run('gem', ['env', 'gempath'], { cwd: folder })).trim();
  return { GEM_HOME: join(folder, 'gems'), GEM_PATH: `${join(folder, 'gems')}:${machines}` };
}
