import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expectSeveralServices } from '@paycode/service-runtime/metrics/several-services';
import type { HostedService as Bundle, RunningService } from '@paycode/service-runtime';
import { EnvError } from '@paycode/service-runtime/env';
import { statusOf } from './service-process';
import { type KeptService, serviceFailure, type SupervisionEvents } from './service-process';
import { OutputLog } from './output-log';
import { readyPollMs, readyWithinMs, type ServiceSpec } from './service-process';

const load = createRequire(__filename);
const packages = 'packages.cjs';

/** Runs one service in this process, from the bundle that would otherwise run as a process of its own. */
export class HostedService implements KeptService {
  readonly log: OutputLog;
  private running: Pick<RunningService, 'stop'> | undefined;
  private readonly hurried = Promise.withResolvers<void>();
  private isStopping = false;
  private beginning: Promise<void> = Promise.resolve();

  constructor(
    readonly spec: ServiceSpec,
    private readonly events: SupervisionEvents,
    private readonly bundleOf: (script: string) => { service: Bundle } = bundleAt,
  ) {
    this.log = new OutputLog(spec.logFile);
  }

  get pid(): number | undefined {
    return this.running && process.pid;
  }

  async start(): Promise<void> {
    this.beginning = this.begin();
    await this.beginning.catch((error: unknown) => {
      if (!this.isStopping) throw serviceFailure(this, `did not start: ${reasonOf(error)}`);
    });
    this.events.processChanged();
    if (this.running && !(await this.untilReady()) && !this.isStopping)
      throw serviceFailure(this, `did not start (not ready within ${readyWithinMs / 1_000} s)`);
  }

  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    const { running } = this;
    this.running = undefined;
    this.events.processChanged();
    // A service that is still starting stops when it has started: until then it writes to the log, which the caller closes.
    const stopped = running ? running.stop('SIGTERM') : this.beginning.catch(() => undefined);
    await Promise.race([stopped, this.hurried.promise, pause(graceMs, undefined, { ref: false })]);
  }

  kill(): void {
    this.isStopping = true;
    this.hurried.resolve();
  }

  private async begin(): Promise<void> {
    const { service } = this.bundleOf(this.spec.script);
    const host = { logDescriptor: this.log.descriptor, stopTimedOut: () => this.hurried.resolve() };
    const running = await service.start(this.spec.env, host);
    if (this.isStopping) await running.stop('SIGTERM');
    else this.running = running;
  }

  private async untilReady(): Promise<boolean> {
    const giveUpAt = performance.now() + readyWithinMs;
    while (this.running && performance.now() < giveUpAt) {
      if ((await statusOf(`${this.spec.internalUrl}/health/ready`)) === 200) return true;
      await pause(readyPollMs);
    }
    return false;
  }
}

/**
 * Each bundle has a copy of the libraries, with what they remember: metrics, keys, pools. The packages of npm are loaded once: this app's bundle
 * of packages holds those of all services.
 */
function bundleAt(script: string): { service: Bundle } {
  expectSeveralServices();
  const shared = join(__dirname, packages);
  load(shared);
  load.cache[join(dirname(script), packages)] = load.cache[shared];
  return load(script) as { service: Bundle };
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === EnvError.name) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
