import { type ChildProcess, spawn } from 'node:child_process';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { OutputLog } from './output-log';

/** A service that the platform keeps running: in a process of its own (SupervisedService) or in this one (HostedService). */
export interface KeptService {
  readonly spec: ServiceSpec;
  readonly log: OutputLog;
  /** Id of the process it runs in; undefined while it does not run. */
  readonly pid: number | undefined;
  /** Its own process, if it has one. */
  readonly process?: ServiceProcess | undefined;
  /** Resolves when the service takes traffic. Rejects with ServiceFailure. */
  start(): Promise<void>;
  /** Lets it finish its work, for good. */
  stop(graceMs: number): Promise<void>;
  /** Ends it at once, or no longer waits for it. */
  kill(): void;
}

/** Callbacks from a service process to its platform. */
export interface SupervisionEvents {
  /** Prints a line for people: a service ended, was restarted, or logged an error. */
  say(line: string): void;
  /** A service runs, or no longer runs. */
  processChanged(): void;
  /** Called when a service cannot be kept running. */
  givenUp(error: ServiceFailure): void;
}

/** A service does not start or does not stay running; the message is for people. */
export class ServiceFailure extends Error {}

const tailLines = 8;

/** With the last lines of the service's log. */
export function serviceFailure({ spec, log }: Pick<KeptService, 'spec' | 'log'>, what: string): ServiceFailure {
  const tail = log.tail(tailLines).map(line => `    ${line}`);
  return new ServiceFailure([`${spec.name} ${what}.`, ...tail, `  Log: ${spec.logFile}`].join('\n'));
}

/** A service that starts is asked so often whether it is ready, and so long. */
export const readyPollMs = 40;
export const readyWithinMs = 180_000;

/** One service of the platform as an operating-system process. */
export interface ServiceSpec {
  name: string;
  /** Absolute path of the bundle. */
  script: string;
  /** Loaded before the bundle. */
  preload: string;
  nodeFlags: string[];
  env: Record<string, string | undefined>;
  /** `http://127.0.0.1:<internal port>`, where `/health/ready` and `/health/live` answer. */
  internalUrl: string;
  logFile: string;
}

/** How a process ended, for people: `exit code 1`, `killed by SIGKILL`. */
export type EndReason = string;

/** A running process of a service. A restart makes a new one. */
export class ServiceProcess {
  readonly ended: Promise<EndReason>;
  private readonly child: ChildProcess;
  private hasEnded = false;

  constructor(
    readonly spec: ServiceSpec,
    log: OutputLog,
  ) {
    // The service gets its own process group, so that Ctrl-C in the terminal reaches only the supervisor, which stops the services in order.
    this.child = spawn(process.execPath, [...spec.nodeFlags, '--require', spec.preload, spec.script], {
      env: spec.env,
      stdio: ['ignore', log.descriptor, log.descriptor, 'ipc'],
      detached: true,
    });
    this.child.channel?.unref();
    this.ended = new Promise(resolve => {
      const end = (reason: EndReason): void => {
        this.hasEnded = true;
        resolve(reason);
      };
      this.child.once('error', error => end(`it could not be started: ${error.message}`));
      this.child.once('exit', (code, signal) => end(signal ? `killed by ${signal}` : `exit code ${code}`));
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Waits until the service accepts traffic. False when it ended, or was not ready in time. */
  async untilReady(withinMs: number): Promise<boolean> {
    const giveUpAt = performance.now() + withinMs;
    while (!this.hasEnded && performance.now() < giveUpAt) {
      if ((await statusOf(`${this.spec.internalUrl}/health/ready`)) === 200) return !this.hasEnded;
      await Promise.race([pause(readyPollMs), this.ended]);
    }
    return false;
  }

  /** Whether the liveness probe of the process succeeds. */
  async isLive(): Promise<boolean> {
    return (await statusOf(`${this.spec.internalUrl}/health/live`)) === 200;
  }

  /** Lets the service drain, and kills it when that takes longer than `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    if (this.hasEnded) return;
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.ended;
    clearTimeout(timer);
  }

  kill(): void {
    if (!this.hasEnded) this.child.kill('SIGKILL');
  }
}

const answerTimeoutMs = 3_000;

/** Status of a GET on loopback; 0 when there is no answer. */
export function statusOf(url: string): Promise<number> {
  return new Promise(resolve => {
    const request = get(url, { agent: false, timeout: answerTimeoutMs }, response => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(0));
  });
}
