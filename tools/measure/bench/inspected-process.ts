/** A process under test that listens for an inspector (`--inspect`): what V8 tells about it while it works. */
import { readFileSync } from 'node:fs';
import { until } from './clock.ts';
import { allocatedBytes, type AllocationNode } from './sampled-allocations.ts';
import type { CpuProfile } from './cpu-profile.ts';

/** Flag of a process that can be inspected, at a port that the system chooses. */
export const inspectFlag = '--inspect=127.0.0.1:0';

const startTimeoutMs = 60_000;
/** Each sample wakes the process, so a shorter interval would make what is measured dearer. */
const samplingUs = 2_000;
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

export class InspectedProcess {
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

  async startProfile(): Promise<void> {
    await this.ask('Profiler.enable');
    await this.ask('Profiler.setSamplingInterval', { interval: samplingUs });
    await this.ask('Profiler.start');
  }

  async stopProfile(): Promise<CpuProfile> {
    const { profile } = await this.ask<{ profile: CpuProfile }>('Profiler.stop');
    await this.ask('Profiler.disable');
    return profile;
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

  close(): void {
    this.socket.close();
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
