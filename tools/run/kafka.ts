/** `npm run kafka -- start | stop | status`: a real Kafka on this machine. Bundles `cli.ts` (it uses the libraries) and runs it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');
const outfile = join(root, '.cache/tools/kafka.cjs');

mkdirSync(join(outfile, '..'), { recursive: true });
await build({
  entryPoints: [join(import.meta.dirname, 'kafka/cli.ts')],
  outfile,
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  packages: 'external',
  tsconfig: join(root, 'tsconfig.base.json'),
  logLevel: 'warning',
});
await import(pathToFileURL(outfile).href);
