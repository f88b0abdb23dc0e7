// Builds dist/ as ES modules and as CommonJS, each with its types, by the workspace's TypeScript compiler. `npm pack` runs it.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const compiler = join(dirname(createRequire(import.meta.url).resolve('ts7/package.json')), 'bin/tsc');
const formats = {
  esm: { type: 'module', module: 'nodenext', moduleResolution: 'nodenext' },
  cjs: { type: 'commonjs', module: 'commonjs', moduleResolution: 'bundler' },
};

rmSync(join(import.meta.dirname, 'dist'), { recursive: true, force: true });
for (const [name, { type, module, moduleResolution }] of Object.entries(formats)) {
  const folder = join(import.meta.dirname, 'dist', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ type })}\n`);
  const options = ['-p', import.meta.dirname, '--outDir', folder, '--module', module, '--moduleResolution', moduleResolution];
  execFileSync(process.execPath, [compiler, ...options], { stdio: 'inherit' });
}
copyFileSync(join(import.meta.dirname, '../../LICENSE'), join(import.meta.dirname, 'dist/LICENSE'));
