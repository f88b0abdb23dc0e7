import { Argument, type Command } from 'commander';
import { exactNumber } from '../../../../../libs/platform-client/src/http/send-json.ts';
import type { DeadLetterPage } from '../../../../../libs/dto/src/internal/dead-letters.ts';
import type { DeliverySummary } from '../../../../../libs/dto/src/internal/deliveries.ts';
import { CellServices, isCellService } from '../cell-services.ts';
import { type CommandContext, idOf } from '../command-context.ts';
import { OperatorError } from '../operator-connection.ts';

interface CompleteOptions {
  merchant: string;
  amount: string;
  currency: string;
  state?: string;
  kind?: string;
  of?: string;
  reference?: string;
  idempotencyKey?: string;
}

/** Commands for the steps of a payment: the transaction, its delivery, its reversal. */
export function addSettlementCommands(program: Command, context: CommandContext): void {
  const transactions = program.command('transactions').description('transactions of the sandbox');
  transactions
    .command('complete')
    .description('complete a transaction at once, without a customer')
    .requiredOption('--merchant <merchantId>', 'merchant that is paid')
    .requiredOption('--amount <amount>', 'exact decimal amount')
    .option('--currency <code>', 'ISO 4217 code', 'ZAR')
    .option(
      '--state <txState>',
      'final state, e.g. END_BANK_DECLINE; the default is SUCCESS, END_REFUNDED or END_REVERSED, depending on the kind',
    )
    .option('--kind <kind>', 'PURCHASE (the default), REFUND or REVERSAL (announced by the payment core itself)')
    .option('--of <transactionId>', 'purchase that is refunded or reversed')
    .option('--reference <merchantReference>', 'reference of the merchant')
    .option('--idempotency-key <key>', 'a repeat under the same key is the same transaction')
    .action((options: CompleteOptions) =>
      context.call('payment-simulator', { method: 'POST', path: '/internal/transactions', body: [transactionOf(options)] }),
    );
  addShow(transactions, context, {
    service: 'payment-simulator',
    path: '/internal/transactions',
    what: 'state of a transaction',
  });
  const deliveries = program.command('deliveries').description('deliveries of notifications');
  addShow(deliveries, context, { service: 'webhook-dispatcher', path: '/internal/deliveries', what: 'timeline of a delivery' });
  addDeliveryCommands(deliveries, context);
  const reversals = program.command('reversals').description('reversal jobs');
  addShow(reversals, context, { service: 'reversal-scheduler', path: '/internal/reversals', what: 'state of a reversal job' });
}

interface ListOptions {
  recent?: boolean;
  oldest?: boolean;
  merchant?: string;
  limit: string;
}

type OfCell<T> = { cell: string | undefined; answer: T };

/** The deliveries of all cells in one order, with the name of the cell where there are several. */
function merged(
  cells: readonly OfCell<DeliverySummary[]>[],
  { isOldestFirst, limit }: { isOldestFirst: boolean; limit: number },
) {
  if (cells.length === 1 && cells[0]!.cell === undefined) return cells[0]!.answer;
  const rows = cells.flatMap(({ cell, answer }) => answer.map(delivery => ({ cell, ...delivery })));
  const newestFirst = rows.sort((a, b) => b.receivedAt.localeCompare(a.receivedAt));
  return (isOldestFirst ? newestFirst.reverse() : newestFirst).slice(0, limit);
}

function addDeliveryCommands(deliveries: Command, context: CommandContext): void {
  deliveries
    .command('list')
    .description('open deliveries, or the latest ones, newest first')
    .option('--recent', 'the latest ones, concluded or not')
    .option('--oldest', 'open ones, the oldest first')
    .option('--merchant <merchantId>', 'of one merchant')
    .option('--limit <count>', 'at most so many', '50')
    .action(async ({ recent, oldest, merchant, limit }: ListOptions) => {
      const query = new URLSearchParams({
        state: recent ? 'recent' : oldest ? 'oldest' : 'open',
        limit: String(idOf(limit, '--limit')),
      });
      if (merchant) query.set('merchantId', String(idOf(merchant, '--merchant')));
      const call = { method: 'GET', path: `/internal/deliveries?${query.toString()}` } as const;
      const cells = await new CellServices(context.connect()).each<DeliverySummary[]>('webhook-dispatcher', call);
      context.show(merged(cells, { isOldestFirst: Boolean(oldest), limit: Number(limit) }));
    });
  deliveries
    .command('redeliver <transactionId>')
    .description('send a notification that moves no money once more')
    .action((transactionId: string) =>
      context.call('webhook-dispatcher', {
        method: 'POST',
        path: `/internal/deliveries/${idOf(transactionId, 'transactionId')}/redeliver`,
      }),
    );
}

type ShowTarget = { service: 'payment-simulator' | 'webhook-dispatcher' | 'reversal-scheduler'; path: string; what: string };

function addShow(parent: Command, context: CommandContext, { service, path, what }: ShowTarget): void {
  parent
    .command('show <transactionId>')
    .description(what)
    .action((transactionId: string) =>
      context.call(service, { method: 'GET', path: `${path}/${idOf(transactionId, 'transactionId')}` }),
    );
}

function transactionOf({ merchant, amount, currency, state, kind, of, reference, idempotencyKey }: CompleteOptions): object {
  if (!/^\d{1,12}(\.\d{1,4})?$/.test(amount)) throw new OperatorError(`--amount must be a decimal like 25.50, not ${amount}`);
  return {
    merchantId: idOf(merchant, '--merchant'),
    amount: exactNumber(amount),
    currencyCode: currency,
    ...(state ? { txState: state } : {}),
    ...(kind ? { kind } : {}),
    ...(of ? { referenceTransactionId: idOf(of, '--of') } : {}),
    ...(reference ? { reference } : {}),
    ...(idempotencyKey ? { idempotencyKey } : {}),
  };
}

/** The services whose consumer groups park events. A payment core's letters stand in its topic alone: `redrive`. */
const services = ['webhook-dispatcher', 'reversal-scheduler', 'recipient-messages', 'portal'] as const;
type LetterService = (typeof services)[number];

/** Commands that show what a service put aside, and give it to the service again: what the portal's page does, without a second person. */
export function addDeadLetterCommands(program: Command, context: CommandContext): void {
  const letters = program.command('dead-letters').description('events that a service could not use, without their payload');
  letters
    .command('list')
    .addArgument(serviceArgument())
    .description('the latest first, at most 50')
    .option('--before <letterId>', 'those that are older than this one')
    .option('--cell <name>', 'of one cell alone; needed with --before when there are several')
    .action(async (service: LetterService, { before, cell }: { before?: string; cell?: string }) => {
      const query = before === undefined ? '' : `?before=${idOf(before, '--before')}`;
      const call = { method: 'GET', path: `/internal/dead-letters${query}` } as const;
      if (!isCellService(service)) return context.call(service, call);
      const cells = new CellServices(context.connect());
      // An id is one of a single database.
      if (before !== undefined || cell !== undefined) return context.show(await cells.of(service, call, cell));
      const pages = await cells.each<DeadLetterPage>(service, call);
      const letters = pages.flatMap(page =>
        page.answer.letters.map(letter => ({ ...(page.cell && { cell: page.cell }), ...letter })),
      );
      context.show({ letters, isMore: pages.some(({ answer }) => answer.isMore) });
    });
  letters
    .command('redrive')
    .addArgument(serviceArgument())
    .argument('<letterId...>')
    .option('--cell <name>', 'cell that has them, when there are several')
    .description('give these to the group that parked them again; no other group sees them')
    .action(async (service: LetterService, letterIds: string[], { cell }: { cell?: string }) => {
      const body = { letterIds: letterIds.map(letterId => idOf(letterId, 'letterId')) };
      const call = { method: 'POST', path: '/internal/dead-letters/redrive', body } as const;
      if (!isCellService(service)) return context.call(service, call);
      context.show(await new CellServices(context.connect()).of(service, call, cell));
    });
}

function serviceArgument(): Argument {
  return new Argument('<service>', 'who put them aside').choices(services);
}
