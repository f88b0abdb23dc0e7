import type { InternalClient, OtherCell, OtherCellsOf } from '@paycode/access';
import { cellRoutes, type CellsAnswer, type CloseAnswer, type CloseItem } from '@paycode/dto';
import { mainCell } from '@paycode/events';
import { otherCellsOf, shardOf } from '@paycode/ownership';
import { DomainError } from '@paycode/service-runtime';
import type { CellView, KnownAnswer, KnownRequest, OtherCells } from './former-cells';
import type { FollowMap } from './own-ranges';
import type { PartitionRanges } from './partition-range';

type DispatcherClient = Pick<InternalClient, 'post' | 'ask'>;

export interface OtherCellsParts {
  /** notification-config, which has the map. */
  map: Pick<InternalClient, 'get'>;
  /** The dispatcher of another cell, by its address in the map. */
  dispatcherAt(url: string): DispatcherClient;
  following: Pick<FollowMap, 'follow'>;
  ranges: Pick<PartitionRanges, 'all'>;
  partitionCount: number;
}

/** A view whose map has the addresses of the cells. */
export interface MapAndRanges extends CellView {
  map: CellsAnswer;
}

/** The map and the other cells over HTTP. While the map cannot be read, the cell goes on with what it last read: its durable ranges decide (P-1.12). */
export class HttpOtherCells implements OtherCells, OtherCellsOf {
  readonly service = 'webhook-dispatcher';
  private read?: MapAndRanges;
  private readonly dispatchers = new Map<string, DispatcherClient>();

  constructor(
    readonly self: string,
    private readonly parts: OtherCellsParts,
  ) {}

  /** Reads the map, and begins the ranges that it gives to this cell. */
  async pass(): Promise<void> {
    const { map: client, following } = this.parts;
    const answer = cellRoutes.map.read(await client.get(cellRoutes.map.path));
    const map = answer.cells.length === 0 ? aloneIf(this.self === mainCell) : answer;
    if (!map.cells.some(({ name }) => name === this.self)) throw new Error(`the map has no cell ${this.self} yet`);
    this.read = { map, ranges: await following.follow(map) };
  }

  view(): MapAndRanges {
    if (this.read) return this.read;
    throw new DomainError({
      status: 503,
      reason: 'MAP_UNREAD',
      message: 'the map of cells was not read yet',
      headers: { 'retry-after': '1' },
    });
  }

  /** The ranges as they are now, for the scheduler. A map that is older than they are lacks their entry. */
  async viewNow(): Promise<MapAndRanges> {
    const { map } = this.view();
    return { map, ranges: await this.parts.ranges.all(this.parts.partitionCount) };
  }

  async known(cell: string, request: KnownRequest): Promise<KnownAnswer> {
    return cellRoutes.known.read(await this.clientOf(cell).post(cellRoutes.known.path, { ...request, cell }));
  }

  /** The payments that this cell has, or would begin by that. */
  close(cell: string, items: readonly CloseItem[]): Promise<CloseAnswer[]> {
    return this.clientOf(cell).post('/internal/deliveries/close', items);
  }

  /** The cells that have or had the partition of the payment, the newest first. @throws DomainError 503 before the map was read */
  of(transactionId: number): OtherCell[] {
    const names = otherCellsOf(this.view().map, this.partitionOf(transactionId), this.self);
    return names.map(name => ({ name, client: this.clientOf(name) }));
  }

  partitionOf(transactionId: number): number {
    return shardOf(transactionId) % this.parts.partitionCount;
  }

  clientOf(cell: string): DispatcherClient {
    return this.dispatcherAt(this.view().map.cells.find(({ name }) => name === cell)!.dispatcherUrl);
  }

  private dispatcherAt(url: string): DispatcherClient {
    const known = this.dispatchers.get(url) ?? this.parts.dispatcherAt(url);
    this.dispatchers.set(url, known);
    return known;
  }
}

/** Before the first cell is in the map, the main one is the platform. */
function aloneIf(isMain: boolean): CellsAnswer {
  return { cells: isMain ? [{ name: mainCell, dispatcherUrl: '', schedulerUrl: '' }] : [], entries: [] };
}
