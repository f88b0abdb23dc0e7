// Builds dist/: the program as one file of plain JavaScript without imports but Node's own, and the golden samples beside it. `npm pack` runs it.
// node build.mjs [<folder>]
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;
const folder = process.argv[2] ?? join(here, 'dist');
const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));

rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: [join(here, 'src/main.ts')],
  outfile: join(folder, 'paycode-dev.mjs'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  tsconfig: join(here, 'tsconfig.json'),
  banner: { js: '#!/usr/bin/env node' },
  define: { PAYCODE_DEV_VERSION: JSON.stringify(version) },
  logLevel: 'warning',
});
cpSync(join(here, '../../libs/dto/samples/notifications'), join(folder, 'samples'), { recursive: true });
cpSync(join(here, '../../LICENSE'), join(folder, 'LICENSE'));
