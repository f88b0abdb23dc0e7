import type { CellAddress, CellsAnswer } from '../../../../libs/dto/src/internal/cells.ts';
import { type OperatorCall, type OperatorConnection, OperatorError } from './operator-connection.ts';

/** A service that each cell has. */
export type CellService = 'webhook-dispatcher' | 'reversal-scheduler';

export function isCellService(service: string): service is CellService {
  return service === 'webhook-dispatcher' || service === 'reversal-scheduler';
}

/** The same service of every cell of the map, or the only one. */
export class CellServices {
  private readonly connection: OperatorConnection;
  private cells?: Promise<CellAddress[]>;

  constructor(connection: OperatorConnection) {
    this.connection = connection;
  }

  /** The answer of each cell; `cell` is undefined while the platform is one. @throws OperatorError when one does not answer: nothing is shown without its payments */
  async each<T>(service: CellService, call: OperatorCall): Promise<{ cell: string | undefined; answer: T }[]> {
    const answers: { cell: string | undefined; answer: T }[] = [];
    for (const { name, url } of await this.placesOf(service))
      answers.push({ cell: name, answer: (await this.connection.call(service, call, url)) as T });
    return answers;
  }

  /** One cell's answer. @throws OperatorError when there are several and none is named */
  async of(service: CellService, call: OperatorCall, cell: string | undefined): Promise<unknown> {
    const places = await this.placesOf(service);
    const names = places.flatMap(({ name }) => name ?? []);
    const found =
      cell === undefined && places.length === 1 ? places[0] : places.find(({ name }) => name !== undefined && name === cell);
    if (found) return this.connection.call(service, call, found.url);
    throw new OperatorError(`--cell must be one of ${names.join(', ') || 'none: the platform has no cells'}`);
  }

  private async placesOf(service: CellService): Promise<{ name?: string; url?: string }[]> {
    const cells = await (this.cells ??= this.map());
    if (cells.length === 0) return [{}];
    const urlOf = (cell: CellAddress) => (service === 'webhook-dispatcher' ? cell.dispatcherUrl : cell.schedulerUrl);
    return cells.map(cell => ({ name: cell.name, url: urlOf(cell) }));
  }

  /** An operator of one cell need not name notification-config. */
  private async map(): Promise<CellAddress[]> {
    if (!this.connection.knows('notification-config')) return [];
    const call = { method: 'GET', path: '/internal/cells' } as const;
    return ((await this.connection.call('notification-config', call)) as CellsAnswer).cells;
  }
}
