/**
 * `npm start` as a process of its own, for journeys. Also loaded by Node without a build step (global set-up): erasable types, Node only.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Long time limits for journeys that do not test them, so that a busy machine reverses no payment and ends no work in progress. Settings of
 * dispatcher, scheduler and all services; other specs test the defaults.
 */
export const patientWindows = { ACK_WINDOW_MS: '600000', TIMER_DELAY_MS: '660000', SHUTDOWN_GRACE_MS: '600000' };
/** Upper limit for the start of seven services and a PostgreSQL on a machine that may do other work. */
const readyWithinMs = 240_000;

export interface PlatformProcessOptions {
  /** Folder for all data of the platform. */
  home: string;
  /** Settings that differ from the default; PAYCODE_PORT is 0 (a free port) unless given. */
  env?: Record<string, string | undefined>;
  args?: string[];
  /** True: runs `npm start` as a person does; otherwise the command that npm runs. */
  isUnderNpm?: boolean;
}

/** A standalone platform started by a journey. */
export class PlatformProcess {
  /** Everything it printed. */
  output = '';
  readonly exited: Promise<number | null>;
  private readonly child: ChildProcess;
  private exitCode: number | null | undefined;

  constructor(options: PlatformProcessOptions) {
    const env = { ...process.env, NODE_OPTIONS: '', PAYCODE_PORT: '0', ...options.env, PAYCODE_HOME: options.home };
    const [command, ...first] = options.isUnderNpm ? ['npm', 'start', '--'] : [process.execPath, 'tools/run.cjs', 'run/start'];
    this.child = spawn(command!, [...first, ...(options.args ?? [])], {
      env: withoutUndefined(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.exited = new Promise(resolve =>
      this.child.once('exit', code => {
        this.exitCode = code;
        resolve(code);
      }),
    );
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Waits for the ready line. Throws with what the platform printed when it ends or takes too long. */
  async untilReady(): Promise<this> {
    const giveUpAt = performance.now() + readyWithinMs;
    while (!this.output.includes('Paycode is ready on')) {
      if (this.exitCode !== undefined || performance.now() > giveUpAt)
        throw new Error(`the platform is not ready:\n${this.output}`);
      await Promise.race([pause(20), this.exited]);
    }
    return this;
  }

  /** Sends a signal and waits for the end; gives the exit code (null after a signal that kills). */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.exited;
  }
}

function withoutUndefined(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** A new temporary folder. Others may pass through it: under root, PostgreSQL runs as another user. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paycode-e2e-'));
  chmodSync(folder, 0o755);
  return folder;
}
