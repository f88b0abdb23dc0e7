/** Counts the cost of a payment to the database and the processes. Counts hardly differ between machines, so a check can refuse a rise. */
import { on } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchDatabase } from './bench-database.ts';
import type { CalledPlatform } from './called-platform.ts';
import { until } from './child-processes.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';
import { print, printTable, progress } from './report.ts';

/** Per payment. Statements, rows and bytes of all databases: simulator, dispatcher, scheduler and event log. */
interface Work {
  statements: number;
  rowsInserted: number;
  walBytes: number;
  /** On V8's heap, of simulator, dispatcher and scheduler. */
  allocatedBytes: number;
}

export type Counted = Readonly<Record<'one per call' | '100 per call', Work>>;
interface Counters extends Pick<Work, 'statements' | 'rowsInserted' | 'walBytes'> {
  atMs: number;
}

interface Excess {
  what: string;
  measured: number;
  ceiling: number;
}

const payments = 2_000;
/** Idle sessions of PostgreSQL report their counters after ten seconds. */
const reportedAfterMs = 11_000;
const measures = ['statements', 'rowsInserted', 'walBytes', 'allocatedBytes'] as const;

export class WorkPerPayment {
  /** `databases`: the names of all of a platform's. The services were started with `inspectFlag`. */
  constructor(
    private readonly called: CalledPlatform,
    private readonly platform: PlatformUnderTest,
    private readonly server: { database: BenchDatabase; databases: readonly string[] },
  ) {}

  /** Statements that the platform makes at rest while the payments are under way are left out. @throws when the audit finds a deviation */
  async measure(): Promise<Counted> {
    for (const perCall of [1, 100]) await this.burst(perCall);
    const begin = await this.settled();
    const rest = { from: begin, to: await this.settled() };
    return { 'one per call': await this.work(1, rest), '100 per call': await this.work(100, rest) };
  }

  private async work(perCall: number, { from, to }: { from: Counters; to: Counters }): Promise<Work> {
    const before = await this.settled();
    const allocatedBytes = await this.allocatedBytes(() => this.burst(perCall));
    const after = await this.settled();
    printAllocations(`${perCall} per call`, allocatedBytes);
    const share = (after.atMs - before.atMs) / (to.atMs - from.atMs);
    const each = (of: 'statements' | 'rowsInserted' | 'walBytes') =>
      Math.max(0, after[of] - before[of] - (to[of] - from[of]) * share) / payments;
    return {
      statements: each('statements'),
      rowsInserted: each('rowsInserted'),
      walBytes: each('walBytes'),
      allocatedBytes: sumOf(allocatedBytes),
    };
  }

  /** Bytes on V8's heap for each payment that `run` completes, by process. */
  private async allocatedBytes(run: () => Promise<void>): Promise<Record<string, number>> {
    const { dispatcher, scheduler } = this.platform;
    const bytes: Record<string, number> = {};
    const inspected: [string, InspectedProcess][] = [];
    for (const [name, { log }] of Object.entries({ simulator: this.called.simulator, dispatcher, scheduler }))
      inspected.push([name, await InspectedProcess.open(log)]);
    for (const [, each] of inspected) await each.startAllocations();
    await run();
    for (const [name, each] of inspected) bytes[name] = (await each.stopAllocations()) / payments;
    return bytes;
  }

  private async burst(perCall: number): Promise<void> {
    const { deviations } = await this.called.burst(payments, perCall);
    if (deviations.length > 0) throw new Error(deviations.join('\n'));
  }

  private async settled(): Promise<Counters> {
    progress('the sessions report their counters');
    await pause(reportedAfterMs);
    const uses = await Promise.all(this.server.databases.map(name => this.server.database.useOf(name)));
    const sum = (of: 'statements' | 'rowsInserted') => uses.reduce((total, use) => total + use[of], 0);
    return {
      atMs: performance.now(),
      statements: sum('statements'),
      rowsInserted: sum('rowsInserted'),
      walBytes: await this.server.database.walBytes(),
    };
  }
}

function sumOf(parts: Record<string, number>): number {
  return Object.values(parts).reduce((sum, part) => sum + part, 0);
}

function printAllocations(load: string, allocatedBytes: Record<string, number>): void {
  const each = Object.entries(allocatedBytes).map(([name, bytes]) => `${name} ${(bytes / 1_024).toFixed(1)}`);
  print(`KiB allocated per payment, ${load}: ${each.join(', ')}`);
}

/** The measures that exceed their ceiling. */
export function excessOf(measured: Counted, ceilings: Counted): Excess[] {
  return (Object.keys(ceilings) as (keyof Counted)[]).flatMap(load =>
    measures
      .map(of => ({ what: `${of}, ${load}`, measured: measured[load][of], ceiling: ceilings[load][of] }))
      .filter(({ measured: value, ceiling }) => !(value <= ceiling)),
  );
}

/** Prints what was counted. True when nothing is above its ceiling. */
export function reportWork(measured: Counted, ceilings: Counted): boolean {
  const rows = (Object.keys(ceilings) as (keyof Counted)[]).flatMap(load =>
    measures.map(of => [`${of}, ${load}`, measured[load][of].toFixed(2), String(ceilings[load][of])]),
  );
  printTable(['per payment', 'counted', 'ceiling'], rows);
  const excess = excessOf(measured, ceilings);
  for (const { what, measured: value, ceiling } of excess)
    print(
      `${what}: ${value.toFixed(2)} per payment, more than the ceiling of ${ceiling} in tools/measure/bench/work-per-payment.ts`,
    );
  print(excess.length === 0 ? 'no payment costs more than its ceiling' : `${excess.length} above their ceilings`);
  return excess.length === 0;
}

/**
 * Counted for the cost of a payment to the database and the processes. A change that lowers the cost lowers them; one that raises a ceiling
 * says why here.
 * Statements and rows of single calls depend on how many calls share a write, which is fewer the faster the machine is: their ceilings have
 * more room. So do, less, the bytes that are allocated: 235,000 to 264,000 and 179,000 to 208,000 in thirteen counts, at a load of 10 to 40
 * on two cores. The highest were beside eight processes that did nothing but spin, when calls were refused (503) and came again.
 */
export const workCeilings: Counted = {
  'one per call': { statements: 1.5, rowsInserted: 6.8, walBytes: 12_400, allocatedBytes: 340_000 },
  '100 per call': { statements: 0.4, rowsInserted: 5.9, walBytes: 12_400, allocatedBytes: 280_000 },
};

/** Flag of a process that can be inspected, at a port that the system chooses. */
export const inspectFlag = '--inspect=127.0.0.1:0';

const startTimeoutMs = 60_000;
/** Bytes between two samples, on average. */
const allocationBytes = 32_768;
const announced = /Debugger listening on (ws:\/\/\S+)/g;

interface Reply {
  id: number;
  result?: unknown;
  error?: { message: string };
}

/** The heap profiler of a process while it works. */
class InspectedProcess {
  private asked = 0;

  private constructor(private readonly socket: WebSocket) {}

  /** `log`: the file into which the process writes what it prints. */
  static async open(log: string): Promise<InspectedProcess> {
    let url: string | undefined;
    const isAnnounced = () => (url = [...readFileSync(log, 'utf8').matchAll(announced)].at(-1)?.[1]) !== undefined;
    await until(`inspector in ${log}`, () => Promise.resolve(isAnnounced()), { withinMs: startTimeoutMs });
    const socket = new WebSocket(url!);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve(), { once: true });
      socket.addEventListener('error', () => reject(new Error(`no inspector at ${url}`)), { once: true });
    });
    return new InspectedProcess(socket);
  }

  /** Samples what is allocated from now on, of objects too that are collected soon. */
  async startAllocations(): Promise<void> {
    await this.ask('HeapProfiler.enable');
    await this.ask('HeapProfiler.startSampling', {
      samplingInterval: allocationBytes,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
  }

  /** Bytes that were allocated on V8's heap since then; buffers are not on it. */
  async stopAllocations(): Promise<number> {
    const { profile } = await this.ask<{ profile: { head: AllocationNode } }>('HeapProfiler.stopSampling');
    await this.ask('HeapProfiler.disable');
    const bytes = allocatedBytes(profile.head);
    this.socket.close();
    if (bytes === 0) throw new Error('the heap profiler saw no allocation');
    return bytes;
  }

  /** Each question waits for its answer before the next one. @throws when the process ends meanwhile */
  private async ask<T>(method: string, params: object = {}): Promise<T> {
    const id = ++this.asked;
    const messages = on(this.socket, 'message', { close: ['close'] }) as AsyncIterable<[MessageEvent]>;
    this.socket.send(JSON.stringify({ id, method, params }));
    for await (const [{ data }] of messages) {
      const reply = JSON.parse(String(data)) as Reply;
      if (reply.error) throw new Error(`inspector: ${reply.error.message}`);
      if (reply.id === id) return reply.result as T;
    }
    throw new Error('the inspected process ended');
  }
}

/** The parts of an answer of `HeapProfiler.stopSampling` that are used here. */
interface AllocationNode {
  /** Bytes, those of objects that were collected since included. */
  selfSize: number;
  children: AllocationNode[];
}

function allocatedBytes({ selfSize, children }: AllocationNode): number {
  return children.reduce((sum, child) => sum + allocatedBytes(child), selfSize);
}
