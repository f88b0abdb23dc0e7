import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const readyWithinMs = 300_000;
const stoppedWithinMs = 120_000;
const root = join(import.meta.dirname, '../../..');
const endsWithParent = ['--require', join(import.meta.dirname, 'end-with-parent.cjs')];

/** A standalone platform in a temporary folder and on a free port, for one run. */
export class OwnPlatform {
  readonly home: string;
  private output = '';
  private readonly child: ChildProcess;

  private constructor(script: readonly string[], settings: Record<string, string>, isLikeNpm = false) {
    this.home = mkdtempSync(join(tmpdir(), 'paycode-fuzz-'));
    chmodSync(this.home, 0o755); // the embedded PostgreSQL of a root user runs as nobody and must pass through
    const watchesParent = isLikeNpm ? { npm_lifecycle_event: 'start' } : {};
    const env = { ...process.env, ...watchesParent, PAYCODE_HOME: this.home, PAYCODE_PORT: '0', ...settings };
    this.child = spawn(process.execPath, [...endsWithParent, ...script], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe', ...(isLikeNpm ? [] : ['ipc' as const])],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.output = (this.output + text).slice(-20_000)));
  }

  /** `script`: what starts it, for tests. @throws with what it printed, when it ends or does not get ready. */
  static async start(
    script: readonly string[] = ['tools/run.cjs', 'run/start'],
    settings: Record<string, string> = {},
  ): Promise<OwnPlatform> {
    return OwnPlatform.ready(new OwnPlatform(script, settings));
  }

  /** As npm starts it, for who measures it: with a channel to this process it would stay in the process of the tool that builds it. */
  static startLikeNpm(script: readonly string[]): Promise<OwnPlatform> {
    return OwnPlatform.ready(new OwnPlatform(script, {}, true));
  }

  private static async ready(platform: OwnPlatform): Promise<OwnPlatform> {
    const giveUpAt = performance.now() + readyWithinMs;
    while (!platform.output.includes('Paycode is ready on')) {
      if (platform.child.exitCode !== null || performance.now() > giveUpAt) {
        await platform.stop();
        throw new Error(`the platform is not ready:\n${platform.output}`);
      }
      await pause(100);
    }
    return platform;
  }

  /** Ends it and removes its folder. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      const timer = setTimeout(() => this.child.kill('SIGKILL'), stoppedWithinMs);
      await ended;
      clearTimeout(timer);
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}
