import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface StartOptions {
  command: string;
  args: string[];
  env?: Record<string, string>;
  /** Resolves the start when a line of output matches; the match is handed back. */
  ready: RegExp;
}

/** A program of its own, started for a test and stopped by its own pid. */
export class StartedProcess {
  private constructor(
    private readonly child: ChildProcess,
    /** The match of `ready`. */
    readonly match: RegExpExecArray,
  ) {}

  /** Rejects with the output when the program ends before it is ready. */
  static async start({ command, args, env, ready }: StartOptions): Promise<StartedProcess> {
    const child = spawn(command, args, { env: { PATH: '/usr/sbin:/usr/bin:/bin', ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const killWithUs = (): void => void child.kill('SIGKILL');
    process.once('exit', killWithUs);
    child.once('exit', () => process.off('exit', killWithUs));
    let output = '';
    const match = await new Promise<RegExpExecArray>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        output += chunk.toString();
        const found = ready.exec(output);
        if (found) resolve(found);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('error', reject);
      child.once('exit', code => reject(new Error(`${command} ended with ${code}:\n${output}`)));
    });
    return new StartedProcess(child, match);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }
}
