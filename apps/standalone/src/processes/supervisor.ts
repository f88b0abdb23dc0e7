import { HostedService } from './hosted-service';
import type { KeptService, ServiceFailure, ServiceSpec } from './service-process';
import { SupervisedService } from './supervised-service';

const logIntervalMs = 1_000;
/** Each probe costs an idle process more than a second of its other work. */
const livenessIntervalMs = 15_000;
/** A busy process may miss some probes; a process that misses so many in a row (a minute) is killed. */
const missesMax = 4;
/** Longer than a service's own grace time, so that the service's own limit applies first. */
const stopGraceMs = 65_000;
const problemsPerTickMax = 5;

export interface SupervisorEvents {
  say(line: string): void;
  processesChanged(pids: Record<string, number>): void;
  givenUp(error: ServiceFailure): void;
}

export interface SupervisorOptions {
  /** A monotonic clock for counting ends. */
  nowMs?: () => number;
  /** Runs the services in this process. */
  isOneProcess?: boolean;
}

/** All services of the platform. */
export class Supervisor {
  private readonly services: KeptService[];
  private readonly misses = new Map<string, number>();
  private timers: NodeJS.Timeout[] = [];
  private stopping: Promise<void> | undefined;

  /** `specs` in the order in which they stop, beginning with the gateway. */
  constructor(
    specs: ServiceSpec[],
    private readonly events: SupervisorEvents,
    { nowMs = () => performance.now(), isOneProcess = false }: SupervisorOptions = {},
  ) {
    const forward = {
      say: (line: string) => events.say(line),
      processChanged: () => this.tellProcesses(),
      givenUp: (error: ServiceFailure) => events.givenUp(error),
    };
    this.services = specs.map(spec =>
      isOneProcess ? new HostedService(spec, forward) : new SupervisedService(spec, forward, nowMs),
    );
  }

  /** Starts all at once; resolves when each accepts traffic, and rejects with the first failure. */
  async start(): Promise<void> {
    this.timers = [
      setInterval(() => this.readLogs(), logIntervalMs),
      setInterval(() => void this.checkLiveness(), livenessIntervalMs),
    ];
    await Promise.all(this.services.map(service => service.start()));
  }

  /** Stops them one after the other, so that each can still call the services that it needs to finish its work. Idempotent. */
  stop(): Promise<void> {
    return (this.stopping ??= this.stopInOrder());
  }

  /** Kills all at once, without letting them finish. */
  kill(): void {
    this.services.forEach(service => service.kill());
  }

  private async stopInOrder(): Promise<void> {
    this.timers.forEach(timer => clearInterval(timer));
    for (const service of this.services) await service.stop(stopGraceMs);
    this.readLogs();
    this.services.forEach(({ log }) => log.close());
  }

  /** Without room on the disk nobody can write them down, and the service starts again all the same. */
  private tellProcesses(): void {
    try {
      this.events.processesChanged(this.pids());
    } catch (error) {
      this.events.say(`the processes that run now could not be written down: ${(error as Error).message}`);
    }
  }

  private pids(): Record<string, number> {
    const running = this.services.map(service => [service.spec.name, service.pid] as const);
    return Object.fromEntries(running.filter((pair): pair is [string, number] => pair[1] !== undefined));
  }

  private readLogs(): void {
    for (const { log, spec } of this.services) {
      const problems = log.problems();
      for (const line of problems.slice(0, problemsPerTickMax)) this.events.say(`${spec.name}: ${line}`);
      if (problems.length > problemsPerTickMax) this.events.say(`${spec.name}: … see ${spec.logFile}`);
    }
  }

  private async checkLiveness(): Promise<void> {
    await Promise.all(this.services.map(service => this.checkOne(service)));
  }

  private async checkOne(service: KeptService): Promise<void> {
    const { name } = service.spec;
    if (!service.process) return;
    const missed = (await service.process.isLive()) ? 0 : (this.misses.get(name) ?? 0) + 1;
    this.misses.set(name, missed % missesMax);
    if (missed < missesMax) return;
    this.events.say(`${name} no longer answers; ending it`);
    service.process?.kill();
  }
}
