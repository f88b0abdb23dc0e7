import { type CellEntry, type CellMap, entriesOf, newestEntry, presentEntry, shardsOfPartitions } from '@paycode/ownership';
import type { OwnIntake } from '../../../../apps/webhook-dispatcher/src/cells/former-cells';
import type { OffsetRange, PartitionRanges } from '../../../../apps/webhook-dispatcher/src/cells/partition-range';

/** A step of the protocol that no service takes yet. Begins the ranges that the map gives to this cell. The map never ends one: its end is durable here before the map says who follows. */
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
    return from === end || ((await this.own.committed(partition)) ?? 0) >= end;
  }
}

/** The two places that a move writes to. Each call may be repeated. */
export interface MovePorts {
  map(): Promise<CellMap>;
  /** The cell stops taking events of the partition. Answers the offset at which it stopped; the first answer stands. */
  end(entry: CellEntry): Promise<number>;
  /** Where it has stopped; null: it has not. */
  endOf(entry: CellEntry): Promise<number | null>;
  /** Appends the entry if `step` follows the last one of its partition. */
  append(entry: CellEntry): Promise<void>;
}

/**
 * A step of the protocol that no command takes yet. Moves a partition to another cell (P-1.12): the old cell ends its range in its own database, then the map says where the new one begins. A command that stopped
 * between the two is run again, or with the old cell as the target, which then goes on.
 */
export async function movePartition(ports: MovePorts, partition: number, cell: string): Promise<CellEntry> {
  const last = newestEntry(await ports.map(), partition);
  const fromOffset = last.cell === cell ? await ports.endOf(last) : await ports.end(last);
  if (fromOffset === null) return last;
  const entry = { partition, fromOffset, cell, step: last.step + 1 };
  await ports.append(entry);
  return entry;
}
