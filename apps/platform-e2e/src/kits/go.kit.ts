import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeKit } from './describe-kit';
import { packGo } from './pack-kit';
import { kitsFolder, type Program, run } from './receiver-kit';

/** A program that requires the module, which `go` downloads from a proxy. */
async function install(folder: string): Promise<Program> {
  const app = join(folder, 'app');
  cpSync(join(kitsFolder, 'go/conform'), app, { recursive: true });
  const { path, version, env } = await packGo(folder);
  writeFileSync(join(app, 'go.mod'), `module conform\n\ngo 1.21\n\nrequire ${path} ${version}\n`);
  await run('go', ['vet', path], { cwd: app, env });
  await run('go', ['build', '-o', 'conform', '.'], { cwd: app, env });
  return { command: join(app, 'conform'), args: [], cwd: app };
}

describeKit({
  name: 'Go',
  needs: [
    ['go', 'version'],
    ['jar', '--version'],
  ],
  adapters: ['net/http'],
  parserFirst: ['net/http, parser first'],
  install,
});
