import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

let built: Promise<string> | undefined;

/** The RSA worker as one JavaScript file, as the build makes it: worker threads do not pass through Jest's transform. */
export function rsaWorkerFile(): Promise<string> {
  return (built ??= bundle());
}

async function bundle(): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'paycode-worker-')), 'rsa-challenge.worker.cjs');
  await build({
    entryPoints: [join(__dirname, '../challenges/rsa-challenge.worker.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    tsconfig: join(__dirname, '../../../../tsconfig.base.json'),
    logLevel: 'error',
  });
  return outfile;
}
