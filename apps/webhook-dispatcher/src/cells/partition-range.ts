import type { DataSource } from 'typeorm';

/** Offsets of a partition of TransactionTerminal that this cell takes (P-1.12). */
export interface OffsetRange {
  from: number;
  /** First offset after it; null: no end. */
  until: number | null;
  /** Entry of the map that gave it. */
  step: number;
}

/** The beginning of a range. */
export type RangeStart = Pick<OffsetRange, 'from' | 'step'>;

/** A partition is given to a cell, or taken from it, only from the state that the caller has seen. */
export class StaleMoveError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StaleMoveError';
  }
}

/** The durable ranges of this cell. A partition is a set of shards, whose rows say the same. */
export abstract class PartitionRanges {
  /** By partition. */
  abstract all(partitionCount: number): Promise<OffsetRange[]>;
  abstract rangeOf(shards: readonly number[]): Promise<OffsetRange>;
  /**
   * Ends the range of this step at the end of the log. `endOfLog` is read while no intake of the partition can commit, so every event below it
   * may be taken, and none at or above it ever was. A repeat answers the first end. @throws StaleMoveError when it is another range
   */
  abstract end(shards: readonly number[], step: number, endOfLog: () => Promise<number>): Promise<number>;
  /** Begins a range without an end. A repeat, or an older step than the present one, changes nothing. */
  abstract begin(shards: readonly number[], start: RangeStart): Promise<void>;
}

interface RangeRow {
  takes_from: string;
  takes_until: string | null;
  takes_step: number;
}

/** Statements of ranges. Both writers lock the shards as a takeover does, in order, and wait for each insert under way. */
const rangeSql = {
  // Shard p is one of partition p.
  all: 'select takes_from, takes_until, takes_step from shard where shard < $1 order by shard',
  read: 'select takes_from, takes_until, takes_step from shard where shard = any($1::smallint[]) order by shard limit 1',
  lock: 'select takes_from, takes_until, takes_step from shard where shard = any($1::smallint[]) order by shard for update',
  end: 'update shard set takes_until = $2 where shard = any($1::smallint[])',
  begin: 'update shard set takes_from = $2, takes_until = null, takes_step = $3 where shard = any($1::smallint[])',
} as const;

export class PostgresPartitionRanges extends PartitionRanges {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async all(partitionCount: number): Promise<OffsetRange[]> {
    return (await this.dataSource.query<RangeRow[]>(rangeSql.all, [partitionCount])).map(rangeFrom);
  }

  override async rangeOf(shards: readonly number[]): Promise<OffsetRange> {
    return firstOf(await this.dataSource.query<RangeRow[]>(rangeSql.read, [shards]));
  }

  override end(shards: readonly number[], step: number, endOfLog: () => Promise<number>): Promise<number> {
    return this.dataSource.transaction(async manager => {
      const range = firstOf(await manager.query<RangeRow[]>(rangeSql.lock, [shards]));
      const until = endOf(range, step) ?? (await endOfLog());
      if (range.until === null) await manager.query(rangeSql.end, [shards, until]);
      return until;
    });
  }

  override begin(shards: readonly number[], start: RangeStart): Promise<void> {
    return this.dataSource.transaction(async manager => {
      const range = firstOf(await manager.query<RangeRow[]>(rangeSql.lock, [shards]));
      if (mayBegin(range, start)) await manager.query(rangeSql.begin, [shards, start.from, start.step]);
    });
  }
}

const rangeFrom = (row: RangeRow): OffsetRange => ({
  from: Number(row.takes_from),
  until: row.takes_until === null ? null : Number(row.takes_until),
  step: row.takes_step,
});
const firstOf = (rows: readonly RangeRow[]): OffsetRange => rangeFrom(rows[0]!);

/** The end that a range has already. @throws StaleMoveError */
export function endOf({ step, until }: OffsetRange, expected: number): number | null {
  if (step === expected) return until;
  const why = step < expected ? 'it has not begun that one yet' : 'the partition has moved meanwhile';
  throw new StaleMoveError(
    `this cell takes the partition by entry ${step} of the map, not ${expected}: ${why}, so run the command again`,
  );
}

/** A cell takes a partition again only after its former range has ended. An old map has no newer step. */
export function mayBegin({ until, step }: OffsetRange, start: RangeStart): boolean {
  return until !== null && start.step > step && start.from >= until;
}
