import type { KnownAnswer, KnownRequest } from '@paycode/dto';
import { type CellMap, entriesOf, shardsOfPartitions } from '@paycode/ownership';
import type { PlacedTerminal } from '../deliveries/domain/delivery';
import type { OffsetRange, PartitionRanges } from './partition-range';

export type { KnownAnswer, KnownRequest };

/** The view of a replica as it last read it: the map, and by partition the ranges of its own cell as they stood after it. */
export interface CellView {
  map: CellMap;
  ranges: readonly OffsetRange[];
}

/** The other cells, as this one sees them, and the way to them. */
export interface OtherCells {
  readonly self: string;
  /** @throws Error as long as nothing was read */
  view(): CellView;
  known(cell: string, request: KnownRequest): Promise<KnownAnswer>;
}

/** The events that this cell has read, and the payments that it has. */
export interface OwnIntake {
  /** Next offset of the partition that its group has not committed; null: it has committed none. An older answer serves when it says `enough`. */
  committed(partition: number, enough: number): Promise<number | null>;
  /** Those of the payments that it has stored, or put aside. */
  taken(transactionIds: readonly number[]): Promise<number[]>;
  /** Highest id of all that it has stored or put aside; 0: it has nothing. */
  highest(): Promise<number>;
}

/** Events that are to be stored, by the entry of the map under which the former cells were asked. */
export interface Asked {
  step: number;
  events: readonly PlacedTerminal[];
}

/**
 * An event that is published again after a move must not begin its payment again (P-I10), and only a former cell knows that it has the payment. It is asked before the insert: by
 * then it has taken everything that it will ever take. The insert refuses events of another step, so a view that is too old begins nothing (P-1.12).
 * For the same reason its first answer holds for every higher id, and new payments wait for no other cell.
 */
export class FormerCells {
  /** By former cell and partition, under the step at which it answered. */
  private readonly bounds = new Map<string, { step: number; highest: number }>();

  constructor(private readonly cells: OtherCells) {}

  /** Leaves out what a former cell has. Rejects while one gives no answer: the batch comes again. */
  async ask(partition: number, events: readonly PlacedTerminal[]): Promise<Asked> {
    const { map, ranges } = this.cells.view();
    const { from, step } = ranges[partition]!;
    const entries = entriesOf(map, partition);
    // Another replica has begun the range by a newer map: this one may lack a former cell.
    if (entries.at(-1)!.step < step) throw new Error(`the map lacks entry ${step} of partition ${partition}`);
    const former = new Set(entries.filter(entry => entry.step < step).map(({ cell }) => cell));
    former.delete(this.cells.self);
    const transactionIds = events.filter(({ offset }) => offset >= from).map(({ transactionId }) => transactionId);
    if (former.size === 0 || transactionIds.length === 0) return { step, events };
    const request = { partition, below: from, transactionIds };
    const known = new Set((await Promise.all([...former].map(cell => this.knownBy(cell, step, request)))).flat());
    return { step, events: events.filter(({ transactionId }) => !known.has(transactionId)) };
  }

  private async knownBy(cell: string, step: number, request: KnownRequest): Promise<number[]> {
    const place = `${cell} ${request.partition}`;
    const bound = this.bounds.get(place);
    const highest = bound?.step === step ? bound.highest : Infinity;
    const transactionIds = request.transactionIds.filter(id => id <= highest);
    if (transactionIds.length === 0) return [];
    const answer = await this.cells.known(cell, { ...request, transactionIds });
    if (highest === Infinity) this.bounds.set(place, { step, highest: answer.highest });
    return answer.taken;
  }
}

/** The former cell has still to read events that may be the payments that it is asked about. */
export class UnreadEventsError extends Error {
  override readonly name = 'UnreadEventsError';
}

/** The answer to a later cell. */
export class AnswerLaterCells {
  constructor(
    private readonly own: OwnIntake,
    private readonly ranges: Pick<PartitionRanges, 'rangeOf'>,
    private readonly partitionCount: number,
  ) {}

  /** @throws UnreadEventsError while events below the later cell's first one are still to be taken here: they may be the same payments */
  async known({ partition, below, transactionIds }: KnownRequest): Promise<KnownAnswer> {
    const { from, until } = await this.ranges.rangeOf([...shardsOfPartitions([partition], this.partitionCount)]);
    const hasBegunLater = from >= below || from === until;
    const wanted = Math.min(below, until ?? below);
    if (!hasBegunLater && ((await this.own.committed(partition, wanted)) ?? 0) < wanted)
      throw new UnreadEventsError(`partition ${partition} is not read up to offset ${below} yet`);
    return { taken: await this.own.taken(transactionIds), highest: await this.own.highest() };
  }
}
