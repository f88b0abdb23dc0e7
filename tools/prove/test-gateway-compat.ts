/**
 * `npm run prove -- gateway-compat`: one black-box contract for api-gateway and for nginx with auth-session as its external
 * authorization. Needs HAProxy and nginx with njs, which npm cannot install; a missing one is a failure, never a skipped suite.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildApps } from '../run/build.ts';
import { runJest } from './testing/run-jest.ts';

const modules = '/usr/lib/nginx/modules/ngx_http_js_module.so';

function missing(): string | undefined {
  for (const program of ['nginx', 'haproxy']) if (spawnSync(program, ['-v']).error) return `${program} is not installed`;
  return existsSync(modules) ? undefined : 'the njs module of nginx is not installed';
}

const problem = missing();
if (problem) {
  console.error(`${problem}. On Debian or Ubuntu: apt-get install haproxy nginx libnginx-mod-http-js`);
  process.exit(1);
}
await buildApps(['auth-session', 'api-gateway']);
process.exitCode = await runJest({
  name: 'test:gateway-compat',
  words: process.argv.slice(2),
  args: ['-c', join(import.meta.dirname, 'gateway-compat/jest.config.cjs'), '--maxWorkers=1'],
});
