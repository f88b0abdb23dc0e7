import type { ErasureItem, PayerSearchPage } from '../../../../libs/dto/src/internal/erasures.ts';
import { CellServices } from './cell-services.ts';
import { type OperatorConnection, OperatorError, type ServiceName } from './operator-connection.ts';

/** Most ids per call. */
const batchMax = 200;
/** Most payments per command; more need another command. */
const paymentsMax = 5_000;
/** Steps from a refund to its purchase, and from the purchase to its other refunds and its reversal. */
const stepsMax = 3;
const dayMs = 86_400_000;
/** Retention of the topics; after it the dispatcher can no longer read an event. */
const eventsKeptMs = 14 * dayMs;

/** State of one transaction at the dispatcher, in the queue of messages and at the payment core. */
export interface PaymentErasure {
  transactionId: number;
  dispatcher: ErasureItem;
  /** undefined: the command has no address of recipient-messages and does not ask it. */
  messages: ErasureItem | undefined;
  /** undefined: the payment core is not part of the platform and is not asked. */
  core: ErasureItem | undefined;
}

/** Data of payers at the services that store notifications. */
export class PayerData {
  private readonly connection: OperatorConnection;
  private readonly cells: CellServices;

  constructor(connection: OperatorConnection) {
    this.connection = connection;
    this.cells = new CellServices(connection);
  }

  /** The transactions with their refunds and reversals, by id. @throws OperatorError beyond 5,000 */
  async preview(transactionIds: readonly number[]): Promise<PaymentErasure[]> {
    const known = new Map<number, PaymentErasure>();
    let next = [...transactionIds];
    for (let step = 0; step <= stepsMax && next.length > 0; step++) {
      if (known.size + next.length > paymentsMax) throw new OperatorError(`at most ${paymentsMax} transactions at once`);
      for (const payment of await this.states(next)) known.set(payment.transactionId, payment);
      const related = [...known.values()].flatMap(({ dispatcher, core }) => [
        ...dispatcher.relatedIds,
        ...(core?.relatedIds ?? []),
      ]);
      next = [...new Set(related)].filter(id => !known.has(id));
    }
    return [...known.values()].sort((a, b) => a.transactionId - b.transactionId);
  }

  /** Ids of all stored notifications of the payer, page by page. @throws OperatorError beyond 5,000, with the id to continue after */
  async search(payer: string, afterId: number): Promise<number[]> {
    const found = new Set<number>();
    for (const service of servicesOf(this.connection)) {
      let after: number | null = afterId;
      while (after !== null) {
        const pages = (await this.post(service, '/search', { payer, afterId: after })) as PayerSearchPage[];
        pages.flatMap(({ transactionIds }) => transactionIds).forEach(id => found.add(id));
        // Where the page ends that ends first: the others give the rest once more.
        const ends = pages.flatMap(({ nextAfterId }) => nextAfterId ?? []);
        after = ends.length > 0 ? Math.min(...ends) : null;
        if (found.size > paymentsMax)
          throw new OperatorError(`more than ${paymentsMax} transactions, up to ${after}: continue with --after`);
      }
    }
    return [...found];
  }

  /** A cell changes only what it has. */
  erase(service: ServiceName, transactionIds: readonly number[]): Promise<unknown[]> {
    return this.post(service, '', { transactionIds });
  }

  private async states(transactionIds: readonly number[]): Promise<PaymentErasure[]> {
    const ask = (service: ServiceName) =>
      inBatches(transactionIds, async ids =>
        ofItsCell((await this.post(service, '/preview', { transactionIds: ids })) as ErasureItem[][]),
      );
    const askIfKnown = async (service: ServiceName) => (this.connection.knows(service) ? ask(service) : []);
    const dispatcher = await ask('webhook-dispatcher');
    const messages = await askIfKnown('recipient-messages');
    const core = await askIfKnown('payment-simulator');
    return dispatcher.map((item, at) => ({
      transactionId: item.transactionId,
      dispatcher: item,
      messages: messages[at],
      core: heldBack(item, core[at]),
    }));
  }

  /** The answers of all cells, or of the only service. */
  private async post(service: ServiceName, path: string, body: unknown): Promise<unknown[]> {
    const call = { method: 'POST', path: `/internal/erasures${path}`, body } as const;
    if (service !== 'webhook-dispatcher') return [await this.connection.call(service, call)];
    return (await this.cells.each(service, call)).map(({ answer }) => answer);
  }
}

/** The state of each transaction in the cell that has it. */
function ofItsCell([first = [], ...others]: readonly ErasureItem[][]): ErasureItem[] {
  const byId = new Map(others.flat().filter(({ state }) => state !== 'UNKNOWN').map(item => [item.transactionId, item])); // prettier-ignore
  return first.map(item => (item.state === 'UNKNOWN' ? (byId.get(item.transactionId) ?? item) : item));
}

/** Erases at the dispatcher first. A payment that the dispatcher does not report as decided is not changed at the core either. */
export async function erasePayments(
  connection: OperatorConnection,
  payments: readonly PaymentErasure[],
): Promise<PaymentErasure[]> {
  const data = new PayerData(connection);
  const erase = (service: ServiceName, ids: readonly number[]) =>
    inBatches(ids, async transactionIds => (await data.erase(service, transactionIds))[0]);
  const idsWhere = (isWanted: (payment: PaymentErasure) => boolean) =>
    payments.filter(isWanted).map(({ transactionId }) => transactionId);
  await erase(
    'webhook-dispatcher',
    idsWhere(({ dispatcher }) => dispatcher.state === 'ERASABLE'),
  );
  await erase(
    'recipient-messages',
    idsWhere(({ messages }) => messages?.state === 'ERASABLE'),
  );
  const after = await data.preview(payments.map(({ transactionId }) => transactionId));
  const atCore = new Set(after.filter(({ core }) => core?.state === 'ERASABLE').map(({ transactionId }) => transactionId));
  await erase(
    'payment-simulator',
    idsWhere(({ transactionId, core }) => core?.state === 'ERASABLE' && atCore.has(transactionId)),
  );
  return data.preview(payments.map(({ transactionId }) => transactionId));
}

function servicesOf(connection: OperatorConnection): ServiceName[] {
  const services: ServiceName[] = ['webhook-dispatcher', 'recipient-messages', 'payment-simulator'];
  return services.filter(service => service === 'webhook-dispatcher' || connection.knows(service));
}

/**
 * The core does not know which payments are decided. A payment that the dispatcher still needs, or may still read from a topic, is not
 * changed there.
 */
function heldBack(dispatcher: ErasureItem, core: ErasureItem | undefined): ErasureItem | undefined {
  if (core?.state !== 'ERASABLE') return core;
  const mayCome = dispatcher.state === 'UNKNOWN' && Date.now() - Date.parse(core.storedAt!) < eventsKeptMs;
  return dispatcher.state === 'UNDECIDED' || mayCome ? { ...core, state: 'UNDECIDED' } : core;
}

async function inBatches(ids: readonly number[], call: (ids: number[]) => Promise<unknown>): Promise<ErasureItem[]> {
  const items: ErasureItem[] = [];
  for (let at = 0; at < ids.length; at += batchMax) items.push(...((await call(ids.slice(at, at + batchMax))) as ErasureItem[]));
  return items;
}
