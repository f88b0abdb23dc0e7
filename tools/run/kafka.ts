/** `npm run kafka -- start | stop | status`: a real Kafka on this machine. Bundles `cli.ts` (it uses the libraries) and runs it. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from './build/bundle-options.ts';

const outdir = join(import.meta.dirname, '../../.cache/tools');

await build({ ...bundleOptions, entryPoints: { kafka: join(import.meta.dirname, 'kafka/cli.ts') }, outdir });
await import(pathToFileURL(join(outdir, 'kafka.cjs')).href);
