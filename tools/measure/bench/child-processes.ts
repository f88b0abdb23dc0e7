/** Child processes of a benchmark, which end with it in every case. */
import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';

const started = new Set<ChildProcess>();

export function endChildren(): void {
  for (const each of started) each.kill('SIGKILL');
}

// An interrupted run leaves no process behind; an embedded PostgreSQL ends with this process by itself.
process.once('exit', endChildren);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Bundles lie beside the one that runs. */
export const bundle = (name: string) => join(dirname(process.argv[1]!), `${name}.cjs`);

/** Calls to a child process over its message channel. */
interface Request {
  call: number;
  name: string;
  argument: unknown;
}

interface Answer {
  call: number;
  result?: unknown;
  error?: string;
}

/** In the child: registers the calls that it answers. The child ends when its parent ends. */
export function serveCalls(handlers: Record<string, (argument: never) => unknown>): void {
  process.on('message', (request: Request) => void answerTo(request, handlers));
  process.once('disconnect', () => process.exit(0));
}

async function answerTo(
  { call, name, argument }: Request,
  handlers: Record<string, (argument: never) => unknown>,
): Promise<void> {
  try {
    const handler = handlers[name];
    if (!handler) throw new Error(`no call ${name}`);
    process.send!({ call, result: await handler(argument as never) } satisfies Answer);
  } catch (error) {
    process.send!({ call, error: (error as Error).stack ?? String(error) } satisfies Answer);
  }
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** In the parent: the child. A call rejects when the handler fails or the child ends. */
export class CalledProcess {
  private readonly pending = new Map<number, Pending>();
  private readonly child: ChildProcess;
  private calls = 0;

  constructor(
    private readonly file: string,
    env: Record<string, string> = {},
  ) {
    this.child = spawn(process.execPath, [file], {
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      // What it prints is no result.
      stdio: ['ignore', process.stderr.fd, process.stderr.fd, 'ipc'],
      serialization: 'advanced',
    });
    started.add(this.child);
    this.child.once('exit', () => started.delete(this.child));
    this.child.on('message', (answer: Answer) => this.settle(answer));
    this.child.once('close', () => this.failAll());
  }

  get pid(): number {
    return this.child.pid!;
  }

  call<T>(name: string, argument?: unknown): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const call = ++this.calls;
      this.pending.set(call, { resolve: resolve as (result: unknown) => void, reject });
      this.child.send({ call, name, argument } satisfies Request, error => error && reject(error));
    });
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }

  private settle({ call, result, error }: Answer): void {
    const waiting = this.pending.get(call);
    this.pending.delete(call);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(`${this.file}: ${error}`));
  }

  private failAll(): void {
    for (const { reject } of this.pending.values()) reject(new Error(`${this.file} ended`));
    this.pending.clear();
  }
}
