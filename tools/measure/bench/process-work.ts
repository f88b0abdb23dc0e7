/** The cost of payments to the processes, in repeatable counts: allocated bytes, and processor time beside a fixed piece of work. */
import { calibrated } from './calibration.ts';
import { InspectedProcess } from './inspected-process.ts';
import { cpuUsOf } from './process-usage.ts';
import type { ServiceUnderTest } from './services.ts';

export interface ProcessWork {
  /** Bytes on V8's heap, by process. */
  allocatedBytes: Record<string, number>;
  /** Processor time of all processes together, in pieces of the calibration. */
  cpuPieces: number;
}

/** Services by name, started with `inspectFlag`. */
type Services = Readonly<Record<string, ServiceUnderTest>>;

export class ProcessCounters {
  private constructor(
    private readonly services: Services,
    private readonly inspected: ReadonlyMap<string, InspectedProcess>,
    private readonly serverCpuUs: () => number,
  ) {}

  /** `serverCpuUs`: processor time of PostgreSQL so far. */
  static async open(services: Services, serverCpuUs: () => number): Promise<ProcessCounters> {
    const inspected = new Map<string, InspectedProcess>();
    for (const [name, { log }] of Object.entries(services)) inspected.set(name, await InspectedProcess.open(log));
    return new ProcessCounters(services, inspected, serverCpuUs);
  }

  /** The cost of each of `payments` while `run` completes them. */
  async count(payments: number, run: () => Promise<void>): Promise<ProcessWork> {
    for (const each of this.inspected.values()) await each.startAllocations();
    const { result: cpuUs, pieceUs } = await calibrated(async () => {
      const before = this.cpuUs();
      await run();
      return this.cpuUs() - before;
    });
    const allocatedBytes: Record<string, number> = {};
    for (const [name, each] of this.inspected) allocatedBytes[name] = (await each.stopAllocations()) / payments;
    return { allocatedBytes, cpuPieces: cpuUs / payments / pieceUs };
  }

  close(): void {
    for (const each of this.inspected.values()) each.close();
  }

  private cpuUs(): number {
    return Object.values(this.services).reduce((sum, { pid }) => sum + cpuUsOf(pid), this.serverCpuUs());
  }
}
