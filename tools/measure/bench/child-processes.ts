/** Child processes of a benchmark, which end with it in every case; time and processor time, as the system counts them (proc(5)), on Linux only. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

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
      // Its output is no result.
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

const ticksPerSecond = 100;

/** Milliseconds of the system's monotonic clock, which all processes of a machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

/** Waits until `isDone`; throws after `withinMs`, saying what was waited for. */
export async function until(
  what: string,
  isDone: () => Promise<boolean>,
  options: { withinMs: number; everyMs?: number },
): Promise<void> {
  const giveUpAt = performance.now() + options.withinMs;
  while (!(await isDone())) {
    if (performance.now() > giveUpAt) throw new Error(`${what}: not within ${options.withinMs / 1_000} s`);
    await pause(options.everyMs ?? 10);
  }
}

/** User and system time so far, in microseconds, at a resolution of 10 ms; NaN where the system does not tell. */
export function cpuUsOf(pid: number): number {
  const fields = statusFieldsOf(String(pid));
  return fields ? ticksToUs(Number(fields[11]) + Number(fields[12])) : NaN;
}

/** CPU time of a process, of its children and of those that have ended, in microseconds. */
export function cpuUsOfTree(pid: number): number {
  const processes = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  const children = processes.filter(child => statusFieldsOf(child)?.[1] === String(pid));
  const own = statusFieldsOf(String(pid));
  const ended = own ? ticksToUs(Number(own[13]) + Number(own[14])) : NaN;
  return children.reduce((sum, child) => sum + (cpuUsOf(Number(child)) || 0), cpuUsOf(pid) + ended);
}

/** Fields of /proc/<pid>/stat from the state on: the name before it may hold anything. */
function statusFieldsOf(pid: string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  } catch {
    return undefined;
  }
}

const ticksToUs = (ticks: number) => (ticks * 1_000_000) / ticksPerSecond;
