import { setTimeout as pause } from 'node:timers/promises';
import { decideRestart, restartsMax } from './domain/restart-policy';
import { type KeptService, serviceFailure, type SupervisionEvents } from './service-process';
import { OutputLog } from './output-log';
import { readyWithinMs, ServiceProcess, type ServiceSpec } from './service-process';

/** Keeps one service running: starts it, restarts it when it ends by itself, and gives up when that does not help. */
export class SupervisedService implements KeptService {
  readonly log: OutputLog;
  private current: ServiceProcess | undefined;
  private readonly endedAtMs: number[] = [];
  private isStopping = false;

  constructor(
    readonly spec: ServiceSpec,
    private readonly events: SupervisionEvents,
    private readonly nowMs: () => number,
  ) {
    this.log = new OutputLog(spec.logFile);
  }

  get process(): ServiceProcess | undefined {
    return this.current;
  }

  get pid(): number | undefined {
    return this.current?.pid;
  }

  /** A service that ends before that is not restarted, because it would fail again. */
  async start(): Promise<void> {
    const process = this.spawn();
    if (!(await process.untilReady(readyWithinMs))) {
      if (this.isStopping) return;
      const reason = await Promise.race([process.ended, Promise.resolve(`not ready within ${readyWithinMs / 1_000} s`)]);
      throw serviceFailure(this, `did not start (${reason})`);
    }
    void this.watch(process);
  }

  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    await this.current?.stop(graceMs);
  }

  kill(): void {
    this.isStopping = true;
    this.current?.kill();
  }

  private spawn(): ServiceProcess {
    this.current = new ServiceProcess(this.spec, this.log);
    this.events.processChanged();
    return this.current;
  }

  private async watch(process: ServiceProcess): Promise<void> {
    const reason = await process.ended;
    if (this.isStopping) return;
    const nowMs = this.nowMs();
    const decision = decideRestart(this.endedAtMs, nowMs);
    this.endedAtMs.push(nowMs);
    this.endedAtMs.splice(0, this.endedAtMs.length - restartsMax - 1);
    if (!decision.restart)
      return this.events.givenUp(serviceFailure(this, `does not stay up: ${decision.reason} (last: ${reason})`));
    this.events.say(`${this.spec.name} ended (${reason}); starting it again`);
    this.log.note(`process ended (${reason})`);
    await pause(decision.afterMs);
    if (this.isStopping) return;
    const next = this.spawn();
    void this.watch(next);
    if (await next.untilReady(readyWithinMs)) this.events.say(`${this.spec.name} is back`);
  }
}
