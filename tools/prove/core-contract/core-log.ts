/** A record of paycode.transaction.terminal.v1, as the broker has it. */
export interface LogRecord {
  key: string | null;
  headers: Readonly<Record<string, string>>;
  value: string;
  /** Time of the log, milliseconds since the epoch. */
  timestampMs: number;
}

/** A record for paycode.transaction.reversal-requested.v1. */
export interface RequestRecord {
  key: string;
  headers: Readonly<Record<string, string>>;
  value: string;
}

/** The two topics between a core and Paycode. */
export abstract class CoreLog {
  /** Every record of the terminal topic since the run began; those of one key in order. */
  readonly terminals: LogRecord[] = [];
  private waiting: (() => void)[] = [];

  /** Resolves once the log has the records, in this order, on one partition: a core then sees them in this order. */
  abstract request(records: readonly RequestRecord[]): Promise<void>;
  abstract close(): Promise<void>;

  /** The first record that matches, received already or to come; undefined after `withinMs`. */
  async find(matches: (record: LogRecord) => boolean, withinMs: number): Promise<LogRecord | undefined> {
    const giveUp = AbortSignal.timeout(withinMs);
    for (let looked = 0; ;) {
      const found = this.terminals.slice(looked).find(matches);
      if (found || giveUp.aborted) return found;
      looked = this.terminals.length;
      await new Promise<void>(resolve => {
        this.waiting.push(resolve);
        giveUp.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  protected received(record: LogRecord): void {
    this.terminals.push(record);
    this.waiting.splice(0).forEach(wake => wake());
  }
}

/** Data of a record; undefined when it is no JSON object. */
export function dataOf({ value }: Pick<LogRecord, 'value'>): Record<string, unknown> | undefined {
  try {
    const data: unknown = JSON.parse(value);
    return typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
