/** A process under test that listens for an inspector (`--inspect`): what V8 tells about it while it works. */
import { readFileSync } from 'node:fs';
import { until } from './clock.ts';
import type { ServiceUnderTest } from './services.ts';

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

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

class InspectedProcess {
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => this.settle(JSON.parse(String(data)) as Reply));
    socket.addEventListener('close', () => this.failAll());
  }

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
    if (bytes === 0) throw new Error('the heap profiler saw no allocation');
    return bytes;
  }

  private ask<T>(method: string, params: object = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = ++this.asked;
      this.waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  private settle({ id, result, error }: Reply): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) waiting?.reject(new Error(`inspector: ${error.message}`));
    else waiting?.resolve(result);
  }

  private failAll(): void {
    for (const { reject } of this.waiting.values()) reject(new Error('the inspected process ended'));
    this.waiting.clear();
  }
}

/** Bytes that services allocate for a payment: a count that repeats well enough to have a ceiling. */
export class ProcessCounters {
  private constructor(private readonly inspected: ReadonlyMap<string, InspectedProcess>) {}

  /** `services`: by name, started with `inspectFlag`. */
  static async open(services: Readonly<Record<string, ServiceUnderTest>>): Promise<ProcessCounters> {
    const inspected = new Map<string, InspectedProcess>();
    for (const [name, { log }] of Object.entries(services)) inspected.set(name, await InspectedProcess.open(log));
    return new ProcessCounters(inspected);
  }

  /** Bytes on V8's heap for each of `payments` that `run` completes, by process. */
  async allocatedBytes(payments: number, run: () => Promise<void>): Promise<Record<string, number>> {
    for (const each of this.inspected.values()) await each.startAllocations();
    await run();
    const bytes: Record<string, number> = {};
    for (const [name, each] of this.inspected) bytes[name] = (await each.stopAllocations()) / payments;
    return bytes;
  }
}

/** The allocations of a process on V8's heap, by the samples of its heap profiler. */

/** The parts of an answer of `HeapProfiler.stopSampling` that are used here. */
interface AllocationNode {
  callFrame: { functionName: string; url: string; lineNumber: number; columnNumber?: number };
  /** Bytes, those of objects that were collected since included. */
  selfSize: number;
  children: AllocationNode[];
}

export function allocatedBytes({ selfSize, children }: AllocationNode): number {
  return children.reduce((sum, child) => sum + allocatedBytes(child), selfSize);
}
