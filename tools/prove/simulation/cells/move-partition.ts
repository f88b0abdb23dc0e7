import { type CellEntry, type CellMap, newestEntry } from '@paycode/ownership';

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
