import type { CellEntry } from '@paycode/dto';

export type { CellEntry };

/** A dispatcher and a scheduler with databases of their own, which have some of the partitions. */
export interface Cell {
  name: string;
}

/** Where each payment is (P-1.12): small, append-only, in one place. */
export interface CellMap {
  /** In the order in which they were added. The first one has every partition from offset 0 on. */
  cells: readonly Cell[];
  /** In the order in which they were appended. */
  entries: readonly CellEntry[];
}

/** The entries of a partition, the oldest first; there is always one. @throws Error when no cell was added */
export function entriesOf({ cells, entries }: CellMap, partition: number): CellEntry[] {
  const [first] = cells;
  if (!first) throw new Error('the map names no cell yet');
  const moves = entries.filter(entry => entry.partition === partition).sort((a, b) => a.step - b.step);
  return [{ partition, fromOffset: 0, cell: first.name, step: 0 }, ...moves];
}

export function newestEntry(map: CellMap, partition: number): CellEntry {
  return entriesOf(map, partition).at(-1)!;
}

/** The other cells that have or had the partition, the newest first. */
export function otherCellsOf(map: CellMap, partition: number, self: string): string[] {
  const names = new Set(entriesOf(map, partition).map(({ cell }) => cell).reverse()); // prettier-ignore
  names.delete(self);
  return [...names];
}

/** The cell that takes the event at this offset of the partition: the same for every reader of the entry that follows it. */
export function cellAt(map: CellMap, partition: number, offset: number): string {
  return entriesOf(map, partition).findLast(({ fromOffset }) => fromOffset <= offset)!.cell;
}

/** The entry from which on `cell` takes events of the partition now; undefined: it takes none, or no longer. */
export function presentEntry(map: CellMap, partition: number, cell: string): CellEntry | undefined {
  const newest = newestEntry(map, partition);
  return newest.cell === cell ? newest : undefined;
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
 * Moves a partition to another cell (P-1.12): the old cell ends its range in its own database, then the map says where the new one begins. A command that stopped
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
