import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PlatformConnection } from '../../../libs/platform-client/src/platform-connection.ts';
import { openShops, type Shop, Traffic } from './shops.ts';
import { OwnPlatform } from '../testing/own-platform.ts';

/**
 * The portal of a standalone platform sleeps behind a listener of the supervisor, and a play may stop the supervisor. A cluster has no such listener:
 * Prometheus scrapes the process itself, which somebody keeps awake.
 */

const name = 'portal';
/** Shorter than the time after which it sleeps. */
const knockEveryMs = 60_000;
const knockMsMax = 30_000;
const wokenWithinMs = 240_000;

/** Where its process listens, whatever becomes of the listener; `letGo` lets it sleep again. @throws when it does not answer */
async function awakePortal(home: string) {
  const listener = `${new PlatformConnection(home).standalone.internal[name]!}/health/live`;
  const { ok, status } = await fetch(listener, { signal: AbortSignal.timeout(wokenWithinMs) });
  if (!ok) throw new Error(`the portal answers ${status}`);
  const url = `http://127.0.0.1:${portOf(home)}`;
  const timer = setInterval(() => void knock(listener), knockEveryMs).unref();
  return { url, letGo: () => clearInterval(timer) };
}

/** The platform writes its file anew when a process has started. */
function portOf(home: string): string {
  const pid = new PlatformConnection(home).standalone.processes[name];
  if (pid === undefined) throw new Error('the portal answers, and has no process');
  const port = /(?:^|\0)INTERNAL_PORT=(\d+)\0/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1];
  if (!port) throw new Error(`process ${pid} of the portal has no INTERNAL_PORT`);
  return port;
}

async function knock(listener: string): Promise<void> {
  try {
    await fetch(listener, { signal: AbortSignal.timeout(knockMsMax) });
  } catch {
    // The supervisor is stopped: it puts nobody to sleep either. A portal that is gone shows in `up`.
  }
}

/** Where a fault is played: a standalone platform, its processes and its shops. */

const shopCount = 8;
const readyWithinMs = 180_000;
let lastStart: Promise<unknown> = Promise.resolve();

/** One platform after the other: the first may build, and two builds at once write the same files. */
function started(settings: Record<string, string>): Promise<OwnPlatform> {
  const platform = lastStart.then(() => OwnPlatform.start(undefined, settings));
  // Its own play tells why it did not start.
  lastStart = platform.catch(() => undefined);
  return platform;
}

export class Stage {
  readonly connection: PlatformConnection;
  readonly shops: readonly Shop[];
  readonly traffic: Traffic;
  /** Ends what the play lets wait. */
  readonly over = new AbortController();
  private readonly platform: OwnPlatform;
  private readonly portal: Awaited<ReturnType<typeof awakePortal>>;
  private readonly replaced: ChildProcess[] = [];
  private isLeftAlone = false;

  private constructor(platform: OwnPlatform, portal: Stage['portal'], shops: readonly Shop[]) {
    this.platform = platform;
    this.portal = portal;
    this.connection = new PlatformConnection(platform.home);
    this.shops = shops;
    this.traffic = new Traffic(shops);
  }

  /** `settings`: of the platform, beside the defaults. */
  static async open(settings: Record<string, string>): Promise<Stage> {
    const platform = await started(settings);
    try {
      const shops = await openShops(new PlatformConnection(platform.home), shopCount);
      return new Stage(platform, await awakePortal(platform.home), shops);
    } catch (error) {
      await platform.stop();
      throw error;
    }
  }

  get home(): string {
    return this.platform.home;
  }

  /** Base URLs of what Prometheus scrapes, by service. */
  get scraped(): Record<string, string> {
    return { ...this.connection.standalone.internal, portal: this.portal.url };
  }

  /** Kills a service. Nobody starts it again. */
  killService(name: string): void {
    this.leaveAlone();
    process.kill(this.pidOf(name), 'SIGKILL');
  }

  /** Kills PostgreSQL, and the event log with it. Nobody starts it again. */
  killDatabase(): void {
    this.leaveAlone();
    const [pid] = readFileSync(join(this.home, 'postgres/postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
  }

  /** The same service with more in its environment: what the supervisor started is replaced by a process of ours, on its ports. */
  async restartService(name: string, env: Record<string, string>): Promise<void> {
    const pid = this.pidOf(name);
    const [command, ...args] = wordsIn(`/proc/${pid}/cmdline`);
    const own = Object.fromEntries(wordsIn(`/proc/${pid}/environ`).map(word => splitAt(word, word.indexOf('='))));
    this.killService(name);
    const log = openSync(join(this.home, `logs/${name}.log`), 'a');
    const child = spawn(command!, args, { env: { ...own, ...env }, stdio: ['ignore', log, log, 'ipc'] });
    closeSync(log);
    this.replaced.push(child);
    await this.untilReady(name, child);
  }

  /** Ends everything that the play began. */
  async close(): Promise<void> {
    this.over.abort();
    this.portal.letGo();
    await this.traffic.end();
    for (const child of this.replaced) child.kill('SIGKILL');
    if (this.isLeftAlone) process.kill(this.supervisorPid, 'SIGCONT');
    await this.platform.stop();
    await Promise.all(this.shops.map(({ receiver }) => receiver.stop()));
  }

  private pidOf(name: string): number {
    const pid = this.connection.standalone.processes[name];
    if (pid === undefined) throw new Error(`no process ${name} is known`);
    return pid;
  }

  private get supervisorPid(): number {
    return this.pidOf('standalone');
  }

  /** The supervisor starts again at once what ends; a paused one does not. */
  private leaveAlone(): void {
    this.isLeftAlone = true;
    process.kill(this.supervisorPid, 'SIGSTOP');
  }

  private async untilReady(name: string, child: ChildProcess): Promise<void> {
    const giveUpAt = performance.now() + readyWithinMs;
    while (performance.now() < giveUpAt && child.exitCode === null) {
      const isReady = await fetch(`${this.connection.standalone.internal[name]}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) return;
      await pause(100);
    }
    throw new Error(`${name} did not start again; its log is ${this.home}/logs/${name}.log`);
  }
}

function wordsIn(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\0')
    .filter(word => word !== '');
}

function splitAt(word: string, at: number): [string, string] {
  return [word.slice(0, at), word.slice(at + 1)];
}
