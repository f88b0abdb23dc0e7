/**
 * `npm run dev`: runs the whole platform. When a source changes, it builds the services that contain it and replaces their processes; the
 * others keep running.
 * Arguments are those of `npm start`: `npm run dev -- --inspect webhook-dispatcher`.
 */
import { join, relative } from 'node:path';
import { builtFrom, RunningPlatform, ServiceBuilds, watchTree } from './dev/running-services.ts';

const root = join(import.meta.dirname, '../..');
/** Wait after a change, because an editor saves several files, or one file in several steps. */
const settleMs = 100;
/** The app that starts the services; it cannot replace itself. */
const starter = 'standalone';

const builds = new ServiceBuilds(root);
say('building');
await builds.buildAll();
const platform = new RunningPlatform(join(builds.folder, starter, 'main.cjs'), process.argv.slice(2));
// A terminal's Ctrl-C reaches the platform too, which stops in order; this process goes when it has gone.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => platform.stop());

const changed = new Set<string>();
let isWorking = false;
let settled: NodeJS.Timeout | undefined;
for (const group of ['apps', 'libs']) watchTree(join(root, group), file => notice(relative(root, file)));
process.exit(await platform.ended);

function notice(path: string): void {
  if (!builtFrom(path)) return;
  changed.add(path);
  clearTimeout(settled);
  settled = setTimeout(() => void work(), settleMs);
}

/** One build at a time; what changes meanwhile comes next. */
async function work(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  while (changed.size > 0) {
    const paths = [...changed];
    changed.clear();
    await take(paths);
  }
  isWorking = false;
}

async function take(paths: readonly string[]): Promise<void> {
  say(`${paths.join(', ')} changed`);
  try {
    const { services, tookMs } = await builds.rebuild(new Set(paths.map(path => builtFrom(path)?.app)));
    say(`built in ${Math.round(tookMs)} ms: ${services.join(', ') || 'no service differs'}`);
    for (const service of services)
      say(
        service === starter ? 'stop npm run dev and start it again to have the new standalone' : await platform.restart(service),
      );
  } catch (error) {
    // esbuild has printed the place and the cause.
    say(`build failed, the running services stay: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}

function say(text: string): void {
  process.stdout.write(`${text.replace(/^/gm, 'dev: ')}\n`);
}
