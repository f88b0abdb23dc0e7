import type { InternalClient, OtherCell, OtherCellsOf } from '@paycode/access';
import { type CellViewAnswer, transactionTerminal } from '@paycode/dto';
import { otherCellsOf, shardOf } from '@paycode/ownership';
import { DomainError } from '@paycode/service-runtime';

export interface OtherSchedulersParts {
  /** The dispatcher of this cell, which follows the map. */
  dispatcher: { view(): Promise<CellViewAnswer> };
  schedulerAt(url: string): Pick<InternalClient, 'ask'>;
}

/** The schedulers of the other cells, by their addresses in the map. */
export class OtherSchedulers implements OtherCellsOf {
  readonly service = 'reversal-scheduler';
  private readonly clients = new Map<string, Pick<InternalClient, 'ask'>>();

  constructor(
    private readonly self: string,
    private readonly parts: OtherSchedulersParts,
  ) {}

  /** @throws DomainError 503 while the map cannot be asked for */
  async of(transactionId: number): Promise<OtherCell[]> {
    const { map } = await this.parts.dispatcher.view().catch((cause: unknown) => {
      const message = 'the map of cells cannot be read now';
      throw new DomainError({ status: 503, reason: 'MAP_UNREAD', message, headers: { 'retry-after': '1' }, cause });
    });
    const partition = shardOf(transactionId) % transactionTerminal.topic.partitions;
    const urlOf = (name: string) => map.cells.find(cell => cell.name === name)!.schedulerUrl;
    return otherCellsOf(map, partition, this.self).map(name => ({ name, client: this.clientAt(urlOf(name)) }));
  }

  private clientAt(url: string): Pick<InternalClient, 'ask'> {
    const client = this.clients.get(url) ?? this.parts.schedulerAt(url);
    this.clients.set(url, client);
    return client;
  }
}
