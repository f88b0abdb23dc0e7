/**
 * `npm run test:gateway-compat`: one black-box contract, held against api-gateway and against nginx with auth-session as its external
 * authorization. Needs nginx with njs, which npm cannot install; a missing one is a failure, never a skipped suite.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildApps } from '../build.ts';

const root = join(import.meta.dirname, '../..');
const modules = '/usr/lib/nginx/modules/ngx_http_js_module.so';

function missing(): string | undefined {
  if (spawnSync('nginx', ['-v']).error) return 'nginx is not installed';
  return existsSync(modules) ? undefined : 'the njs module of nginx is not installed';
}

const problem = missing();
if (problem) {
  console.error(`${problem}. On Debian or Ubuntu: apt-get install nginx libnginx-mod-http-js`);
  process.exit(1);
}
await buildApps(['auth-session', 'api-gateway']);
const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const jest = [join(root, 'node_modules/jest/bin/jest.js'), '-c', join(import.meta.dirname, 'jest.config.cjs'), '--maxWorkers=1'];
process.exitCode =
  spawnSync(process.execPath, [...node, ...jest, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' }).status ?? 1;
