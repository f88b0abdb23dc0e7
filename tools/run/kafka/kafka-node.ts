import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const javaFlags = ['-Xms256m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:+ExitOnOutOfMemoryError', '-Djava.awt.headless=true'];
const stopTimeoutMs = 30_000;
const logTailChars = 4_000;

export interface KafkaNodeOptions {
  jars: string;
  /** Folder of the node: properties, log, data. */
  folder: string;
  /** The process outlives this one. */
  detached?: boolean;
}

/** One Kafka process. */
export class KafkaNode {
  private child?: ChildProcess;

  constructor(private readonly options: KafkaNodeOptions) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Writes the storage format on first use. `scramUsers` can only be given then. */
  async format(clusterId: string, scramUsers: readonly { username: string; password: string }[]): Promise<void> {
    const users = scramUsers.flatMap(({ username, password }) => [
      '--add-scram',
      `SCRAM-SHA-512=[name=${username},password=${password}]`,
    ]);
    // In one argument: an id may begin with a dash.
    const args = ['format', '--ignore-formatted', `--cluster-id=${clusterId}`, '-c', this.file('server.properties'), ...users];
    await run('java', [...this.javaArgs('storage.log'), 'kafka.tools.StorageTool', ...args]);
  }

  start(): void {
    const output = openSync(this.file('server.out'), 'a');
    this.child = spawn('java', [...this.javaArgs('server.log'), 'kafka.Kafka', this.file('server.properties')], {
      stdio: ['ignore', output, output],
      detached: this.options.detached ?? false,
    });
    if (this.options.detached) this.child.unref();
  }

  /** SIGTERM: leaders are handed over and the log is closed in order. Killed when that takes too long. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** SIGKILL, as when a machine dies. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** The last lines the broker wrote, for the message of whoever waited in vain. */
  logTail(): string {
    return ['server.out', 'server.log'].map(name => readTail(this.file(name))).join('\n');
  }

  private end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    if (!child || !this.isRunning) return Promise.resolve();
    return new Promise(resolve => {
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      child.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      child.kill(signal);
    });
  }

  private javaArgs(logFile: string): string[] {
    return [
      ...javaFlags,
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
      `-Dorg.slf4j.simpleLogger.logFile=${this.file(logFile)}`,
      '-cp',
      join(this.options.jars, '*'),
    ];
  }

  private file(name: string): string {
    return join(this.options.folder, name);
  }
}

function readTail(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(-logTailChars);
  } catch (error) {
    return `${file}: ${(error as NodeJS.ErrnoException).code}`;
  }
}
