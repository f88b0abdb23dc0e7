import type { CloseAnswer, CloseItem } from '@paycode/dto';
import { entriesOf } from '@paycode/ownership';
import { DomainError } from '@paycode/service-runtime';
import type { PlacedCloseItem } from '../deliveries/deliveries.ports';
import type { CloseDeliveries } from '../verdicts/conclude-delivery';
import { UnreadEventsError } from './former-cells';
import type { HttpOtherCells } from './http-other-cells';
import type { OwnRanges } from './own-ranges';

export interface CloseParts {
  closing: Pick<CloseDeliveries, 'close'>;
  ranges: Pick<OwnRanges, 'taken' | 'known'>;
  /** Absent: the platform is one cell. */
  others?: Pick<HttpOtherCells, 'self' | 'view' | 'known' | 'close' | 'partitionOf'> | undefined;
}

/** Where a payment is closed; `step` where it is not stored: the entry by which that cell has the partition. */
interface Place {
  cell: string;
  step?: number;
}

/**
 * Flow: `close` -> the cell that has each payment. One that no former cell knows is closed in the newest, which begins it by that, as its intake would: the former ones are asked first, and the
 * write names the step. So no payment is closed in one cell and begins in another (P-I15). A payment whose cell cannot be told now has no answer, and its scheduler asks again.
 */
export class CloseInCells {
  constructor(private readonly parts: CloseParts) {}

  /** `isRelayed`: by another cell, so it goes no further. @throws DomainError 503 when no payment has an answer, because a cell cannot be asked */
  async close(items: readonly CloseItem[], isRelayed: boolean): Promise<CloseAnswer[]> {
    const { closing, ranges, others } = this.parts;
    if (!others || items.length === 0) return closing.close(items);
    const taken = new Set(await ranges.taken(items.map(({ transactionId }) => transactionId)));
    const own: PlacedCloseItem[] = items.filter(({ transactionId }) => taken.has(transactionId));
    const partitions = Map.groupBy(
      items.filter(({ transactionId }) => !taken.has(transactionId)),
      ({ transactionId }) => others.partitionOf(transactionId),
    );
    const faults: unknown[] = [];
    const elsewhere = new Map<string, CloseItem[]>();
    await eachSettled(partitions, faults, async ([partition, absent]) => {
      const places = await this.placesOf(partition, absent);
      for (const item of absent) {
        const { cell, step } = places.get(item.transactionId)!;
        if (cell === others.self) own.push(step === undefined ? item : { ...item, step });
        else elsewhere.set(cell, [...(elsewhere.get(cell) ?? []), item]);
      }
    });
    const answers = own.length > 0 ? await closing.close(own) : [];
    if (!isRelayed)
      await eachSettled(elsewhere, faults, async ([cell, moved]) => void answers.push(...(await others.close(cell, moved))));
    if (answers.length === 0 && faults.length > 0) throw refusalOf(faults[0]);
    return answers;
  }

  /** Former cells have ended, so what they do not know after all their events they never take. */
  private async placesOf(partition: number, items: readonly CloseItem[]): Promise<Map<number, Place>> {
    const { ranges, others } = this.parts;
    const { self, view } = { self: others!.self, view: others!.view() };
    const entries = entriesOf(view.map, partition);
    const newest = entries.at(-1)!;
    const former = new Set(entries.map(({ cell }) => cell));
    former.delete(newest.cell);
    const transactionIds = items.map(({ transactionId }) => transactionId);
    const request = { partition, below: newest.fromOffset, transactionIds };
    const places = new Map<number, Place>(transactionIds.map(id => [id, { cell: newest.cell, step: newest.step }]));
    const known = await Promise.all(
      [...former].map(async cell => ({
        cell,
        ...(await (cell === self ? ranges.known(request) : others!.known(cell, request))),
      })),
    );
    for (const { cell, taken } of known) for (const id of taken) places.set(id, { cell });
    return places;
  }
}

/** One that fails must not fail the others. */
async function eachSettled<T>(all: Iterable<T>, faults: unknown[], work: (each: T) => Promise<void>): Promise<void> {
  await Promise.all([...all].map(each => work(each).catch((error: unknown) => void faults.push(error))));
}

function refusalOf(cause: unknown): DomainError {
  if (cause instanceof DomainError) return cause;
  const isUnread = cause instanceof UnreadEventsError;
  const message = isUnread ? cause.message : 'a cell that may have these payments cannot be asked now';
  const reason = isUnread ? 'UNREAD_EVENTS' : 'CELL_UNREACHABLE';
  return new DomainError({ status: 503, reason, message, headers: { 'retry-after': '1' }, cause });
}
