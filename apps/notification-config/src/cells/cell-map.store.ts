import { Injectable } from '@nestjs/common';
import type { CellAddress, CellEntry, CellsAnswer } from '@paycode/dto';
import { DataSource, type EntityManager } from 'typeorm';
import { insertAuditEvents, type Origin } from '../audit';

const cellMapSql = {
  // One change at a time, so that each sees the one before.
  lock: 'select pg_advisory_xact_lock(7413002)',

  cells: `
    select name, dispatcher_url as "dispatcherUrl", scheduler_url as "schedulerUrl" from (
      select distinct on (name) *, min(position) over (partition by name) as first from cell order by name, position desc
    ) newest order by first`,
  entries: 'select partition, from_offset::float8 as "fromOffset", cell, step from cell_entry order by position',

  addCell: 'insert into cell (name, dispatcher_url, scheduler_url) values ($1, $2, $3)',
  addEntry: 'insert into cell_entry (partition, from_offset, cell, step) values ($1, $2, $3, $4)',
} as const;

/** A row to append. */
export type MapChange = { cell: CellAddress } | { entry: CellEntry };

/** The map of cells. Its rows are never changed. */
@Injectable()
export class CellMapStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Cells are read last: an entry never names one that is missing. */
  async read(manager: EntityManager = this.dataSource.manager): Promise<CellsAnswer> {
    const entries = await manager.query<CellEntry[]>(cellMapSql.entries);
    return { cells: await manager.query<CellAddress[]>(cellMapSql.cells), entries };
  }

  /** Appends what `next` makes of the newest map, with its audit event; undefined: nothing. */
  change(origin: Origin, next: (map: CellsAnswer) => MapChange | undefined): Promise<void> {
    return this.dataSource.transaction(async manager => {
      await manager.query(cellMapSql.lock);
      const change = next(await this.read(manager));
      if (change) await append(manager, change, origin);
    });
  }
}

async function append(manager: EntityManager, change: MapChange, origin: Origin): Promise<void> {
  if ('cell' in change) {
    const { name, dispatcherUrl, schedulerUrl } = change.cell;
    await manager.query(cellMapSql.addCell, [name, dispatcherUrl, schedulerUrl]);
    const detail = { name, dispatcherUrl, schedulerUrl };
    return insertAuditEvents(manager, { merchantId: null, origin }, [{ kind: 'CELL_SAVED', detail }]);
  }
  const { partition, fromOffset, cell, step } = change.entry;
  await manager.query(cellMapSql.addEntry, [partition, fromOffset, cell, step]);
  const detail = { partition: String(partition), fromOffset: String(fromOffset), cell, step: String(step) };
  return insertAuditEvents(manager, { merchantId: null, origin }, [{ kind: 'PARTITION_MOVED', detail }]);
}
