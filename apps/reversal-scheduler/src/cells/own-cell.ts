import { type EventBatch, nameInCell } from '@paycode/events';
import { type CellMap, entriesOf } from '@paycode/ownership';

/** The offsets of a partition that the dispatcher of the cell takes now, and the entry of the map that gave them. */
export interface CellRange {
  from: number;
  until: number | null;
  step: number;
}

/** The dispatcher's durable ranges by partition, and a map that is not older than they are. */
export interface CellView {
  map: CellMap;
  ranges: readonly CellRange[];
}

export interface OwnDispatcher {
  view(): Promise<CellView>;
}

/** The cell of an event is not decided yet, or not known here: the event waits. */
export class UndecidedCellError extends Error {
  override readonly name = 'UndecidedCellError';
}

/** Topics are those of all cells. Leaves out what another cell does (P-1.12): a second cell that took it would reverse what the first one settles (P-I1, P-I2). */
export class OwnCell {
  /** null: the platform is one cell, and everything is its own. */
  constructor(
    private readonly name: string | null = null,
    private readonly dispatcher?: OwnDispatcher,
  ) {}

  /** The events that a service of this cell published. */
  saidBy(service: string, batch: EventBatch): EventBatch {
    if (this.name === null) return batch;
    const source = nameInCell(service, this.name);
    return { ...batch, events: batch.events.filter(event => event.source === source) };
  }

  /** The terminal transactions that this cell has or will have. @throws UndecidedCellError */
  async taken(batch: EventBatch): Promise<EventBatch> {
    const { name, dispatcher } = this;
    if (name === null) return batch;
    const view = await dispatcher!.view();
    const isTaken = ({ offset }: { offset: string }) => isTakenBy(name, view, { ...batch, offset: Number(offset) });
    return { ...batch, events: batch.events.filter(isTaken) };
  }
}

/**
 * The present range decides about its events: an event that is published already lies below the end that the range may get later. Events below it belonged to
 * earlier entries. An event beyond its end waits for the entry that follows.
 */
function isTakenBy(
  self: string,
  { map, ranges }: CellView,
  { partition, offset }: { partition: number; offset: number },
): boolean {
  const { from, until, step } = ranges[partition]!;
  const entries = entriesOf(map, partition);
  const entry = entries.findLast(({ fromOffset }) => fromOffset <= offset)!;
  if (entries.at(-1)!.step < step) throw new UndecidedCellError(`the map lacks entry ${step} of partition ${partition}`);
  if (offset < from) return entries.findLast(each => each.step < step && each.fromOffset <= offset)?.cell === self;
  // The database of a new cell is made for one that takes all.
  const isOwnRange = entries.some(each => each.step === step && each.cell === self);
  if (isOwnRange && (until === null || offset < until)) return true;
  if (entry.cell !== self) return false;
  throw new UndecidedCellError(`no cell takes offset ${offset} of partition ${partition} yet`);
}
