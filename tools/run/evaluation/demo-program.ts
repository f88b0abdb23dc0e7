import { join } from 'node:path';
import { build } from 'esbuild';

/** `npm run demo` as one file of JavaScript: the image of a service holds Node, and nothing of the repository. */
export async function demoProgram(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../demo.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0]!.text;
}
