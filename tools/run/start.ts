/** `npm start`: builds what changed, then this process becomes that of the platform. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildDocumentation, buildWhatChanged, compileCache } from './start/build-what-changed.ts';

const platform = join(import.meta.dirname, '../../dist/apps/standalone/main.cjs');
/** As the services have them: most of the time it rests. */
const smallFlags = ['--max-semi-space-size=2', '--v8-pool-size=1'];
/** The services run in it too: `--optimize-for-size` would cost them speed. Passport's `new Buffer` would warn in the terminal. */
const oneProcessFlags = [...smallFlags, '--disable-warning=DEP0005'];
const restfulFlags = process.argv.includes('--one-process') ? oneProcessFlags : [...smallFlags, '--optimize-for-size'];

const say = (line: string) => process.stdout.write(`paycode: ${line}\n`);
const documentation = buildDocumentation(say);
buildWhatChanged(say);
await documentation;
if (process.connected) {
  // A parent ends the platform by ending its channel, which a new program would not have.
  enableCompileCache(compileCache);
  await import(pathToFileURL(platform).href);
} else {
  // The code that reads TypeScript would stay in memory as long as the platform runs: 10 to 15 MiB.
  process.execve!(process.execPath, [process.execPath, ...restfulFlags, platform, ...process.argv.slice(2)], {
    ...process.env,
    NODE_COMPILE_CACHE: compileCache,
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '131072',
    MALLOC_TRIM_THRESHOLD_: '131072',
  });
}
