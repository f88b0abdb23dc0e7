import type { OutputLog } from './output-log';
import type { ServiceProcess, ServiceSpec } from './service-process';

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
  /** Replaces it after it has finished its work. Rejects with ServiceFailure. */
  restart(graceMs: number): Promise<void>;
  /** Lets it finish its work; it can start again. */
  suspend(graceMs: number): Promise<void>;
  /** Lets it finish its work, for good. */
  stop(graceMs: number): Promise<void>;
  /** Ends it at once, or no longer waits for it. */
  kill(): void;
}

/** What a service tells its platform. */
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
