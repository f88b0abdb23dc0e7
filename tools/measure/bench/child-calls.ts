/** Calls to a child process over its message channel. */
import type { ChildProcess } from 'node:child_process';
import { type ChildOptions, ended, startNode } from './child-processes.ts';

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
    options: ChildOptions = {},
  ) {
    // The child's output is no result.
    this.child = startNode(file, [], { output: process.stderr.fd, ...options, hasChannel: true });

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

  stop(): Promise<void> {
    return ended(this.child, 'SIGKILL');
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
