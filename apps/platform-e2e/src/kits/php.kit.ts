import { copyFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describeClient } from './describe-client';
import { describeKit } from './describe-kit';
import { composerEnv, packPhp } from './pack-kit';
import { kitsFolder, type Program, run, withFrameworks } from './receiver-kit';

/**
 * Laravel and Guzzle as Debian packs them, with all that they need, unpacked into a folder: nothing is installed. Gives the environment in which
 * PHP finds them. Packagist, where Composer looks for them, cannot be reached from everywhere.
 */
async function frameworks(folder: string): Promise<Record<string, string>> {
  const [packages, tree, settings] = ['packages', 'tree', 'settings'].map(name => join(folder, name)) as [string, string, string];
  for (const each of [packages, tree, settings]) mkdirSync(each);
  const wanted = ['php-laravel-framework', 'php-guzzlehttp-guzzle'];
  const plan = await run('apt-get', ['--simulate', '--no-install-recommends', 'install', ...wanted], { cwd: packages });
  const names = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name!);
  await run('apt-get', ['download', ...names], { cwd: packages });
  for (const name of readdirSync(packages)) await run('dpkg', ['-x', join(packages, name), tree], { cwd: folder });
  const library = join(tree, 'usr/share/php');
  // Its autoloaders look for each other beside themselves.
  cpSync('/usr/share/php', library, { recursive: true, force: false, dereference: true });
  const extensions = readdirSync(tree, { recursive: true, encoding: 'utf8' }).filter(name =>
    /\/(?:dom|xml|simplexml)\.so$/.test(name),
  );
  const lines = [`include_path=${library}`, ...extensions.map(name => `extension=${join(tree, name)}`)];
  writeFileSync(join(settings, 'frameworks.ini'), `${lines.join('\n')}\n`);
  return { PHP_INI_SCAN_DIR: `:${settings}` };
}

/** `composer archive`, then `composer install` from a folder of archives, without Packagist. */
async function install(folder: string): Promise<Program> {
  const [app, archives] = [join(folder, 'app'), join(folder, 'archives')];
  const env = composerEnv(folder);
  await packPhp(folder, archives);
  mkdirSync(app);
  const repositories = [{ type: 'artifact', url: archives }, { packagist: false }];
  writeFileSync(join(app, 'composer.json'), JSON.stringify({ repositories, require: { 'paycode/receiver': '0.1.0' } }));
  await run('composer', ['install', '--quiet', '--no-interaction'], { cwd: app, env });
  for (const name of ['conform/conform.php', 'frameworks/laravel.php', 'frameworks/guzzle.php'])
    copyFileSync(join(kitsFolder, 'php', name), join(app, basename(name)));
  return { command: 'php', args: ['conform.php'], cwd: app, env: withFrameworks ? await frameworks(folder) : {} };
}

describeKit({
  name: 'PHP',
  needs: [
    ['php', '--version'],
    ['composer', '--version'],
  ],
  adapters: withFrameworks ? ['php', 'laravel'] : ['php'],
  canWorkOn: false,
  readsWhole: true,
  install,
  alsoTested: underTest => {
    const program = () => ({ ...underTest.program(), env: { ...underTest.program().env, KIT_HTTP: 'GUZZLE' } });
    if (withFrameworks)
      describe('with Guzzle (PSR-18, PSR-17) and a logger (PSR-3)', () => describeClient({ ...underTest, program }));
  },
});
