import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

type Answer = { restarted: string; pid: number | undefined } | { failed: string; reason: string };

/** The standalone platform in a process of its own, which replaces the processes of services when it is told to. */
export class RunningPlatform {
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
