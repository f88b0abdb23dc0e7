/** The allocations of a process on V8's heap, by the samples of its heap profiler. */

/** The parts of an answer of `HeapProfiler.stopSampling` that are used here. */
export interface AllocationNode {
  callFrame: { functionName: string; url: string; lineNumber: number; columnNumber?: number };
  /** Bytes, those of objects that were collected since included. */
  selfSize: number;
  children: AllocationNode[];
}

export function allocatedBytes({ selfSize, children }: AllocationNode): number {
  return children.reduce((sum, child) => sum + allocatedBytes(child), selfSize);
}
