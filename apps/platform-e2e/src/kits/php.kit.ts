import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeKit } from './describe-kit';
import { copyOf, kitsFolder, type Program, run } from './receiver-kit';

/** `composer archive`, then `composer install` from a folder of archives, without Packagist. */
async function install(folder: string): Promise<Program> {
  const [app, archives] = [join(folder, 'app'), join(folder, 'archives')];
  const env = { COMPOSER_ALLOW_SUPERUSER: '1', COMPOSER_HOME: join(folder, 'composer'), COMPOSER_DISABLE_NETWORK: '1' };
  await run('composer', ['archive', '--quiet', '--format=zip', `--dir=${archives}`], { cwd: copyOf('php', folder), env });
  mkdirSync(app);
  const repositories = [{ type: 'artifact', url: archives }, { packagist: false }];
  writeFileSync(join(app, 'composer.json'), JSON.stringify({ repositories, require: { 'paycode/receiver': '0.1.0' } }));
  await run('composer', ['install', '--quiet', '--no-interaction'], { cwd: app, env });
  copyFileSync(join(kitsFolder, 'php/conform/conform.php'), join(app, 'conform.php'));
  return { command: 'php', args: ['conform.php'], cwd: app };
}

describeKit({
  name: 'PHP',
  needs: [
    ['php', '--version'],
    ['composer', '--version'],
  ],
  adapters: ['php'],
  canWorkOn: false,
  install,
});
