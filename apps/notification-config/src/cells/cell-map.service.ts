import { Injectable } from '@nestjs/common';
import { type CellAddress, type CellEntry, cellLimits, type CellsAnswer } from '@paycode/dto';
import { mainCell } from '@paycode/events/env';
import { newestEntry } from '@paycode/ownership';
import { DomainError, invalidField } from '@paycode/service-runtime';
import type { Origin } from '../audit';
import { CellMapStore } from './cell-map.store';

/** Flow: operator -> the newest map, alone -> one row more, or a refusal. */
@Injectable()
export class CellMapService {
  constructor(private readonly store: CellMapStore) {}

  read(): Promise<CellsAnswer> {
    return this.store.read();
  }

  /** Adds a cell, or gives it other addresses. The first one has every partition from its first event on. @throws DomainError 400, 409 */
  async save(cell: CellAddress, origin: Origin): Promise<CellAddress> {
    await this.store.change(origin, ({ cells }) => {
      refuseOtherFirst(cells, cell);
      refuseSharedAddress(cells, cell);
      const known = cells.find(({ name }) => name === cell.name);
      if (!known && cells.length >= cellLimits.cellsMax)
        throw conflict(`there are ${cellLimits.cellsMax} cells, and no more can be added`);
      const isSame = known?.dispatcherUrl === cell.dispatcherUrl && known.schedulerUrl === cell.schedulerUrl;
      return isSame ? undefined : { cell };
    });
    return cell;
  }

  /** Appends an entry if its step follows the last one of its partition. @throws DomainError 400, 409 */
  async append(entry: CellEntry, origin: Origin): Promise<CellEntry> {
    await this.store.change(origin, map => {
      const names = map.cells.map(({ name }) => name);
      if (!names.includes(entry.cell))
        throw invalidField('cell', `must be one of the cells: ${names.join(', ') || 'there is none'}`);
      const last = newestEntry(map, entry.partition);
      if (entry.step !== last.step + 1)
        throw conflict(`the last entry of partition ${entry.partition} is ${last.step}, so ${entry.step} does not follow it`);
      if (entry.fromOffset < last.fromOffset)
        throw invalidField('fromOffset', `must be at least ${last.fromOffset}, where the last entry begins`);
      return { entry };
    });
    return entry;
  }
}

/** The first cell has every partition, and its dispatchers go on where the platform of one cell has stopped reading. */
function refuseOtherFirst(cells: readonly CellAddress[], { name }: CellAddress): void {
  if (cells.length > 0 || name === mainCell) return;
  const why =
    'only main goes on with the consumer groups of a platform of one cell, and another one would begin without their offsets';
  throw invalidField('name', `must be ${mainCell} for the first cell: ${why}`);
}

/** Orders for one cell would reach another, which would end a range that it has not been told to end. */
function refuseSharedAddress(cells: readonly CellAddress[], { name, ...urls }: CellAddress): void {
  for (const field of ['dispatcherUrl', 'schedulerUrl'] as const) {
    const other = cells.find(cell => cell.name !== name && cell[field] === urls[field]);
    if (other) throw invalidField(field, `is the one of cell ${other.name}`);
  }
}

function conflict(message: string): DomainError {
  return new DomainError({ status: 409, reason: 'CELL_MAP_CONFLICT', message });
}
