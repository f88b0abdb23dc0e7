import { CoreLog, type LogRecord, type RequestRecord } from '../core-log.ts';

/** Both topics in memory, with a clock of their own that never stands still. */
export class MemoryLog extends CoreLog {
  /** The core's side: told of each request, in order. */
  onRequest: (record: RequestRecord) => void = () => undefined;
  private now = Date.parse('2026-01-01T00:00:00Z');

  publish(record: Omit<LogRecord, 'timestampMs'>): void {
    this.received({ ...record, timestampMs: (this.now += 1) });
  }

  override request(records: readonly RequestRecord[]): Promise<void> {
    records.forEach(record => this.onRequest(record));
    return Promise.resolve();
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}
