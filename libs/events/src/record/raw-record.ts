/** A record as a broker delivers it: any part may be missing or repeated. */
export interface RawRecord {
  key: Uint8Array | string | null | undefined;
  value: Uint8Array | string | null | undefined;
  headers?: Record<string, string | Uint8Array | (string | Uint8Array)[] | undefined>;
}

/** A record of the log on its way to a handler. */
export interface PartitionRecord {
  offset: bigint;
  /** When it was published, on this process' monotonic clock. */
  publishedAtMs: number;
  raw: RawRecord;
}

export interface DeadLetter {
  record: PartitionRecord;
  /** Names the defect; carries no payload. */
  reason: string;
}
