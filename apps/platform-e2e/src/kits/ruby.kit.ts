import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeKit } from './describe-kit';
import { gemEnv, packRuby } from './pack-kit';
import { kitsFolder, type Program, run, withFrameworks } from './receiver-kit';

/** `gem build`, then `gem install` of the file into a folder of its own. Rack is the machine's. */
async function install(folder: string): Promise<Program> {
  const gem = await packRuby(folder, folder);
  const env = await gemEnv(folder);
  await run('gem', ['install', '--local', '--no-document', gem], { cwd: folder, env });
  copyFileSync(join(kitsFolder, 'ruby/conform/conform.rb'), join(folder, 'conform.rb'));
  return { command: 'ruby', args: ['conform.rb'], cwd: folder, env };
}

const needsOfRails: [command: string, argument: string][] = [['ruby', '-raction_controller/railtie']];

describeKit({
  name: 'Ruby',
  needs: [['gem', '--version'], ['ruby', '-rrack'], ['ruby', '-rwebrick'], ...(withFrameworks ? needsOfRails : [])],
  adapters: withFrameworks ? ['rack', 'rails'] : ['rack'],
  parserFirst: ['rack, parser first'],
  keepsScale: false,
  readsWhole: true,
  install,
});
