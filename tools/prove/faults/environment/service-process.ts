import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { eventually } from '@paycode/service-runtime/testing';
import { workspaceRoot } from '../../../run/kafka/distribution';

const readyWithinMs = 240_000;

interface ServiceProcessOptions {
  /** Folder under apps/. */
  app: string;
  /** Name of this replica, for its log file. */
  name: string;
  logFolder: string;
  env: Record<string, string>;
  /** Flags of Node itself. */
  nodeFlags?: readonly string[];
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach(child => child.kill('SIGKILL')));

/** One service as an operating system process that can be killed, paused and started again on its ports. */
export class ServiceProcess {
  private child: ChildProcess | undefined;
  private ports = { internal: 0, public: 0 };
  private isPaused = false;

  constructor(readonly options: ServiceProcessOptions) {}

  get name(): string {
    return this.options.name;
  }
  get internalUrl(): string {
    return `http://127.0.0.1:${this.ports.internal}`;
  }
  get publicUrl(): string {
    return `http://127.0.0.1:${this.ports.public}`;
  }
  /** The file of what it prints. */
  get log(): string {
    return join(this.options.logFolder, `${this.name}.log`);
  }
  get pid(): number | undefined {
    return this.child?.pid;
  }
  get isRunning(): boolean {
    return this.child !== undefined;
  }
  /** Runs and is not paused. */
  get isServing(): boolean {
    return this.isRunning && !this.isPaused;
  }

  /** It keeps its ports from now on, for the settings of others. */
  async claimPorts(): Promise<this> {
    if (this.ports.internal === 0) this.ports = { internal: await freePort(), public: await freePort() };
    return this;
  }

  /** Starts the process and waits until it is ready. `env` adds to the options, for this start. */
  async start(env: Record<string, string> = {}): Promise<void> {
    if (this.child) return;
    await this.claimPorts();
    this.spawn(env);
    await eventually(async () => {
      if (!this.child) return;
      const answer = await fetch(`${this.internalUrl}/health/ready`, { signal: AbortSignal.timeout(30_000) });
      if (answer.status !== 200) throw new Error(`${this.name} is not ready: ${await answer.text()}`);
    }, readyWithinMs);
    if (!this.child) throw new Error(`${this.name} ended at start:\n${this.logTail()}`);
  }

  /** kill -9; resolves when it is gone. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }
  /** SIGTERM: drains; resolves when it is gone. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }
  pause(): void {
    this.isPaused = this.child?.kill('SIGSTOP') ?? false;
  }
  resume(): void {
    if (this.isPaused) this.child?.kill('SIGCONT');
    this.isPaused = false;
  }

  /** Memory in use, in bytes. */
  get residentBytes(): number {
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.child!.pid}/status`, 'utf8'))![1];
    return Number(kilobytes) * 1024;
  }

  /** Sum of the series that begin with `name`, 0 when there is none yet. @throws when the service has no such metric: it would be 0 for ever */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.internalUrl}/metrics`)).text();
    const family = name.split('{')[0]!.replace(/_(bucket|count)$/, '');
    if (!text.includes(`# TYPE ${family} `)) throw new Error(`${this.options.name} has no metric ${name}`);
    const lines = text.split('\n').filter(line => line.startsWith(name) && !line.startsWith('#'));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  private spawn(env: Record<string, string>): void {
    const { app, nodeFlags = ['--enable-source-maps'] } = this.options;
    const root = workspaceRoot();
    const log = openSync(this.log, 'a');
    const child = spawn(process.execPath, [...nodeFlags, join(root, 'dist/apps', app, 'main.cjs')], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: join(root, 'dist/compile-cache'),
        INTERNAL_PORT: String(this.ports.internal),
        PUBLIC_PORT: String(this.ports.public),
        LOG_LEVEL: 'info',
        ...this.options.env,
        ...env,
      },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child = child;
    this.isPaused = false;
    running.add(child);
    child.once('exit', () => {
      running.delete(child);
      if (this.child === child) this.child = undefined;
    });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (!child) return;
    this.resume();
    const gone = new Promise<void>(resolve => child.once('exit', () => resolve()));
    child.kill(signal);
    await gone;
  }

  private logTail(): string {
    return readFileSync(this.log, 'utf8').slice(-2_000);
  }
}
