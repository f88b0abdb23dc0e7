import { endOf, mayBegin, type OffsetRange, type PartitionRanges, type RangeStart } from '../../cells/partition-range';
import type { DispatcherTables, StatementExecutor } from './dispatcher-tables';

/** Ranges in memory. The transaction that reads the end of the log under the locks of the shards is one statement here. */
export class MemoryPartitionRanges implements Pick<PartitionRanges, 'all' | 'rangeOf' | 'begin'> {
  constructor(
    private readonly tables: DispatcherTables,
    private readonly execute: StatementExecutor,
  ) {}

  all(partitionCount: number): Promise<OffsetRange[]> {
    return this.execute(() =>
      Array.from({ length: partitionCount }, (_, shard) => ({ ...this.tables.shards.get(shard)!.takes })),
    );
  }

  rangeOf([shard]: readonly number[]): Promise<OffsetRange> {
    return this.execute(() => ({ ...this.tables.shards.get(shard!)!.takes }));
  }

  /** `endNow`: the end of the log at the instant of the statement. */
  end(shards: readonly number[], step: number, endNow: () => number): Promise<number> {
    return this.execute(() => {
      const range = this.tables.shards.get(shards[0]!)!.takes;
      const until = endOf(range, step) ?? endNow();
      this.write(shards, { ...range, until });
      return until;
    });
  }

  begin(shards: readonly number[], start: RangeStart): Promise<void> {
    return this.execute(() => {
      if (mayBegin(this.tables.shards.get(shards[0]!)!.takes, start)) this.write(shards, { ...start, until: null });
    });
  }

  private write(shards: readonly number[], takes: OffsetRange): void {
    for (const shard of shards) this.tables.shards.get(shard)!.takes = takes;
  }
}
