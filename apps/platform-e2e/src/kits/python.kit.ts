import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeKit } from './describe-kit';
import { packPython } from './pack-kit';
import { kitsFolder, type Program, run } from './receiver-kit';

const frameworks = ['flask==3.1.3', 'fastapi>=0.115', 'uvicorn>=0.30', 'django>=4.2,<6'];

/** `pip wheel`, then `pip install` of the wheel and of the frameworks, apart from the machine's own packages. */
async function install(folder: string): Promise<Program> {
  const [wheels, site] = [join(folder, 'wheels'), join(folder, 'site')];
  const pip = (...args: string[]) =>
    run('python3', ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...args], { cwd: folder });
  await packPython(folder, wheels);
  await pip('install', '--target', site, '--find-links', wheels, 'paycode-receiver==0.1.0', ...frameworks);
  copyFileSync(join(kitsFolder, 'python/conform/conform.py'), join(folder, 'conform.py'));
  return { command: 'python3', args: ['conform.py'], cwd: folder, env: { PYTHONPATH: site, PYTHONDONTWRITEBYTECODE: '1' } };
}

describeKit({
  name: 'Python',
  needs: [
    ['python3', '--version'],
    ['pip3', '--version'],
  ],
  adapters: ['flask', 'fastapi', 'django'],
  pools: ['flask, one thread', 'django, one thread'],
  parserFirst: ['flask, parser first', 'fastapi, parser first', 'django, parser first'],
  install,
});
