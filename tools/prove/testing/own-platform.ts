import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const readyWithinMs = 300_000;
const stoppedWithinMs = 120_000;
const outputCharsMax = 20_000;
const root = join(import.meta.dirname, '../../..');
const endsWithParent = ['--require', join(import.meta.dirname, 'end-with-parent.cjs')];

interface StartOptions {
  /** Default: the Node that runs this. */
  command?: string;
  args: readonly string[];
  /** Default: that of this process. */
  env?: NodeJS.ProcessEnv;
  /** The process is ready when its output matches. */
  ready: RegExp;
  /** Opens a channel to it, whose end it notices when this process is killed. */
  hasChannel?: boolean;
}

/** A program that was started for a run or a test, in the folder of the workspace. It ends with this process. */
export class StartedProcess {
  /** The last of what it printed. */
  output = '';
  private readonly child: ChildProcess;

  private constructor({ command = process.execPath, args, env = process.env, hasChannel = false }: StartOptions) {
    const channel = hasChannel ? (['ipc'] as const) : [];
    this.child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe', ...channel] });
    const killWithUs = (): void => void this.child.kill('SIGKILL');
    process.once('exit', killWithUs);
    this.child.once('exit', () => process.off('exit', killWithUs));
  }

  /** Gives the match of `ready` too. @throws Error with what it printed, when it ends before it is ready, or is not ready in time */
  static async start(options: StartOptions): Promise<[StartedProcess, RegExpExecArray]> {
    const started = new StartedProcess(options);
    try {
      return [started, await started.matching(options.ready)];
    } catch (cause) {
      await started.stop();
      throw new Error(`${options.command ?? 'node'}: ${(cause as Error).message}\n${started.output}`, { cause });
    }
  }

  /** SIGTERM; killed when it does not end. */
  async stop(): Promise<void> {
    const { child } = this;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stoppedWithinMs);
    await ended;
    clearTimeout(timer);
  }

  private matching(ready: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-outputCharsMax);
        const match = ready.exec(this.output);
        if (match) resolve(match);
      });
    this.child.once('error', reject);
    this.child.once('exit', (code, signal) => reject(new Error(`ended with ${code ?? signal}`)));
    const timer = setTimeout(() => reject(new Error(`not ready within ${readyWithinMs / 1_000} s`)), readyWithinMs);
    return promise.finally(() => clearTimeout(timer));
  }
}

/** A standalone platform in a temporary folder and on a free port, for one run. */
export class OwnPlatform {
  readonly home: string;
  readonly process: StartedProcess;

  private constructor(home: string, started: StartedProcess) {
    this.home = home;
    this.process = started;
  }

  /**
   * `script`: what starts it, for tests. `isLikeNpm`: without a channel to this process, for who measures it: with one it would stay in the process of
   * the tool that builds it. @throws with what it printed, when it ends or does not get ready.
   */
  static async start(
    script: readonly string[] = ['tools/run.cjs', 'run/start'],
    settings: Record<string, string> = {},
    isLikeNpm = false,
  ): Promise<OwnPlatform> {
    const home = mkdtempSync(join(tmpdir(), 'paycode-fuzz-'));
    chmodSync(home, 0o755); // the embedded PostgreSQL of a root user runs as nobody and must pass through
    const watchesParent = isLikeNpm ? { npm_lifecycle_event: 'start' } : {};
    const env = { ...process.env, ...watchesParent, PAYCODE_HOME: home, PAYCODE_PORT: '0', ...settings };
    const args = [...endsWithParent, ...script];
    try {
      const [started] = await StartedProcess.start({ args, env, ready: /Paycode is ready on/, hasChannel: !isLikeNpm });
      return new OwnPlatform(home, started);
    } catch (error) {
      rmSync(home, { recursive: true, force: true });
      throw error;
    }
  }

  /** Ends it and removes its folder. */
  async stop(): Promise<void> {
    await this.process.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}
