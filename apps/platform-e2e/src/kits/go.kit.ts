import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeKit } from './describe-kit';
import { copyOf, kitsFolder, type Program, run } from './receiver-kit';

const [path, version] = ['paycode.example/receiver', 'v0.1.0'];

/** A module archive in a file proxy, as `go` downloads it from any proxy; then a program that requires it. */
async function install(folder: string): Promise<Program> {
  const app = join(folder, 'app');
  cpSync(join(kitsFolder, 'go/conform'), app, { recursive: true });
  writeFileSync(join(app, 'go.mod'), `module conform\n\ngo 1.21\n\nrequire ${path} ${version}\n`);
  const env = {
    GOPROXY: `file://${await proxy(folder)}`,
    GOMODCACHE: join(folder, 'modules'),
    GOFLAGS: '-mod=mod -modcacherw',
    GONOSUMDB: path,
    GOTOOLCHAIN: 'local',
  };
  await run('go', ['vet', path], { cwd: app, env });
  await run('go', ['build', '-o', 'conform', '.'], { cwd: app, env });
  return { command: join(app, 'conform'), args: [], cwd: app };
}

async function proxy(folder: string): Promise<string> {
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
  return join(folder, 'proxy');
}

describeKit({
  name: 'Go',
  needs: [
    ['go', 'version'],
    ['jar', '--version'],
  ],
  adapters: ['net/http'],
  install,
});
