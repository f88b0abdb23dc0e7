import type { CellRanges, EndRangeRequest } from '@paycode/dto';
import { type CellMap, entriesOf, presentEntry, shardsOfPartitions } from '@paycode/ownership';
import { AnswerLaterCells, type KnownAnswer, type KnownRequest, type OwnIntake } from './former-cells';
import type { PostgresOwnIntake } from './own-intake';
import type { OffsetRange, PartitionRanges } from './partition-range';

/** An order or a question for another cell: an address in the map is wrong. */
export class WrongCellError extends Error {
  override readonly name = 'WrongCellError';
}

export interface RangeParts {
  ranges: PartitionRanges;
  intake: PostgresOwnIntake;
  partitionCount: number;
}

/** The ranges of this cell, for operators and later cells, and their end by order (P-1.12). */
export class OwnRanges {
  private readonly answers: AnswerLaterCells;

  constructor(
    /** null: the platform is one cell. */
    private readonly cell: string | null,
    private readonly parts: RangeParts,
  ) {
    this.answers = new AnswerLaterCells(parts.intake, parts.ranges, parts.partitionCount);
  }

  async show(): Promise<CellRanges> {
    const { ranges, intake, partitionCount } = this.parts;
    const committed = await intake.committedByPartition();
    const open = await intake.hasOpen(partitionCount);
    const shown = (await ranges.all(partitionCount)).map((range, partition) => {
      const isRead = range.from === range.until || (committed[partition] ?? 0) >= (range.until ?? Infinity);
      return { ...range, isDrained: range.until !== null && isRead && !open[partition] };
    });
    return { cell: this.cell, ranges: shown };
  }

  /** Answers the offset of the end; a repeat, that of the first one. @throws WrongCellError, StaleMoveError */
  async end({ cell, partition, step }: EndRangeRequest): Promise<number> {
    this.refuseOrderFor(cell);
    const { ranges, intake, partitionCount } = this.parts;
    const shards = [...shardsOfPartitions([partition], partitionCount)];
    return ranges.end(shards, step, () => intake.endOfLog(partition));
  }

  /** @throws WrongCellError, UnreadEventsError */
  async known(request: KnownRequest): Promise<KnownAnswer> {
    if (request.cell !== undefined) this.refuseOrderFor(request.cell);
    return this.answers.known(request);
  }

  /** Those of the payments that this cell has stored, or put aside. */
  taken(transactionIds: readonly number[]): Promise<number[]> {
    return this.parts.intake.taken(transactionIds);
  }

  private refuseOrderFor(cell: string): void {
    if (this.cell === cell) return;
    const own = this.cell === null ? 'a dispatcher without CELL_NAME, so of no cell' : `cell ${this.cell}`;
    throw new WrongCellError(`this is ${own}, not cell ${cell}: look at its address in the map`);
  }
}

/** Begins the ranges that the map gives to this cell (P-1.12). The map never ends one: its end is durable here before the map says who follows. */
export class FollowMap {
  constructor(
    private readonly self: string,
    private readonly ranges: PartitionRanges,
    private readonly own: Pick<OwnIntake, 'committed'>,
    private readonly partitionCount: number,
  ) {}

  /** Answers the ranges by partition. A reader of the partitions begins anew when they have changed. */
  async follow(map: CellMap): Promise<OffsetRange[]> {
    const ranges = await this.ranges.all(this.partitionCount);
    const changed = await Promise.all(ranges.map((range, partition) => this.followIn(map, partition, range)));
    return changed.includes(true) ? this.ranges.all(this.partitionCount) : ranges;
  }

  private async followIn(map: CellMap, partition: number, { from, until, step }: OffsetRange): Promise<boolean> {
    const hadFirst = entriesOf(map, partition)[0]!.cell === this.self;
    const shards = () => [...shardsOfPartitions([partition], this.partitionCount)];
    // The database of a new cell is made for one that stands alone and takes all.
    const isNew = until === null && step === 0 && !hadFirst;
    const end = isNew ? await this.ranges.end(shards(), 0, async () => 0) : until;
    const present = presentEntry(map, partition, this.self);
    if (end === null || !present || present.step <= step || !(await this.isReadTo(partition, { from, end }))) return isNew;
    await this.ranges.begin(shards(), { from: present.fromOffset, step: present.step });
    return true;
  }

  /** Events that the former range of this cell has still to read would lie below the new one, and be refused. */
  private async isReadTo(partition: number, { from, end }: { from: number; end: number }): Promise<boolean> {
    return from === end || ((await this.own.committed(partition, end)) ?? 0) >= end;
  }
}
