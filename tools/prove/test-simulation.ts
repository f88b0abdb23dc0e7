/**
 * `npm run test:simulation`: the real decision code of dispatchers and schedulers under simulated faults, one seed after the other
 * (`-- --help` for more). Bundled first, because the services' code needs it.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions } from '../run/build/bundle-options.ts';

const outdir = join(import.meta.dirname, '../../dist/tools');
const entryPoints = { simulation: join(import.meta.dirname, 'simulation/main.ts') };
await build({ ...bundleOptions, entryPoints, outdir });
const { status } = spawnSync(process.execPath, [join(outdir, 'simulation.cjs'), ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
