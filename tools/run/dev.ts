/**
 * `npm run dev`: runs the whole platform. When a source changes, it builds the services that contain it and replaces their processes; the
 * others keep running.
 * Arguments are those of `npm start`: `npm run dev -- --inspect webhook-dispatcher`.
 */
import { join, relative } from 'node:path';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { apps, buildApps } from './build.ts';

const root = join(import.meta.dirname, '../..');
/** Wait after a change, because an editor saves several files, or one file in several steps. */
const settleMs = 100;
/** The app that starts the services; it cannot replace itself. */
const starter = 'standalone';

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

type Answer = { restarted: string; pid: number | undefined } | { failed: string; reason: string };

/** The standalone platform in a process of its own, which replaces the processes of services when it is told to. */
class RunningPlatform {
  readonly ended: Promise<number>;
  private readonly child: ChildProcess;

  constructor(script: string, args: readonly string[]) {
    this.child = spawn(process.execPath, [script, ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
    this.ended = once(this.child, 'exit').then(([code]) => (code as number | null) ?? 1);
  }

  /** Resolves with the words for people, when the service takes traffic again or cannot. */
  async restart(service: string): Promise<string> {
    const startedAt = performance.now();
    const answered = once(this.child, 'message');
    this.child.send({ restart: service });
    const [answer] = (await answered) as [Answer];
    if ('failed' in answer) return `${answer.reason}\n${service} waits for the next change`;
    // The portal has a process only while it is used.
    if (answer.pid === undefined) return `${service} was not running: it starts anew when it is next used`;
    return `${service} restarted in ${Math.round(performance.now() - startedAt)} ms, process ${answer.pid}`;
  }

  /** The platform lets work in progress finish. */
  stop(): void {
    this.child.kill('SIGTERM');
  }
}

/** The rebuilt services, and the time it took. */
interface Build {
  services: string[];
  tookMs: number;
}

/** Bundles in a folder of their own: another `npm start` of this tree, or its tests, keep theirs. */
class ServiceBuilds {
  readonly folder: string;
  private readonly hashes = new Map<string, string>();

  constructor(root: string) {
    this.folder = join(root, 'dist/dev/apps');
  }

  async buildAll(): Promise<void> {
    const all = await apps();
    await this.build(all);
    for (const app of all) this.hashes.set(app, this.hashOf(app));
  }

  /**
   * Rebuilds after changes of these apps, or of a library (undefined). Returns the changed apps, and the other services whose bundle
   * differs.
   */
  async rebuild(changed: ReadonlySet<string | undefined>): Promise<Build> {
    const startedAt = performance.now();
    const candidates = changed.has(undefined) ? await apps() : [...changed].filter(app => app !== undefined);
    await this.build(candidates);
    const services = candidates.filter(app => {
      const hash = this.hashOf(app);
      const isOther = this.hashes.get(app) !== hash;
      this.hashes.set(app, hash);
      return isOther || changed.has(app);
    });
    return { services, tookMs: performance.now() - startedAt };
  }

  private build(names: readonly string[]): Promise<void> {
    return buildApps(names, app => join(this.folder, app));
  }

  private hashOf(app: string): string {
    return createHash('sha256')
      .update(readFileSync(join(this.folder, app, 'main.cjs')))
      .digest('hex');
  }
}

const notBuilt = /\.spec\.ts$|\.conformance\.ts$|\/testing\//;
const built = /^(apps|libs)\/([^/]+)\/(?:src|migrations)\/.*\.(?:ts|json|html)$/;

/** Whether the file, by its path from the workspace's root, goes into a service; and the app it belongs to, if it is not a library's. */
function builtFrom(path: string): { app: string | undefined } | undefined {
  const [, group, project] = notBuilt.test(path) ? [] : (built.exec(path) ?? []);
  return group === undefined ? undefined : { app: group === 'apps' ? project : undefined };
}

/**
 * Reports each file below `folder` that is written, made or removed. It watches folders, not files, because editors replace files.
 */
function watchTree(folder: string, changed: (file: string) => void): void {
  const watcher = watch(folder, (_, name) => {
    if (name === null) return;
    const path = join(folder, name);
    if (isFolder(path)) watchTree(path, changed);
    else changed(path);
  });
  // Of a folder that was removed.
  watcher.on('error', () => watcher.close());
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) watchTree(join(folder, entry.name), changed);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

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
