import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import type { ErasureItem } from '../../../../../libs/dto/src/internal/erasures.ts';
import { type CommandContext, idOf } from '../command-context.ts';
import { OperatorError } from '../operator-connection.ts';
import { erasePayments, PayerData, type PaymentErasure } from '../payer-data.ts';

interface EraseOptions {
  payer?: string;
  after: string;
  confirm?: string;
}

/** Commands for a payer's request for erasure. */
export function addErasureCommands(program: Command, context: CommandContext): void {
  const payers = program.command('payers').description('show and erase the data of a person who paid');
  payers
    .command('preview')
    .argument('[transactionIds...]')
    .option(
      '--payer <file>',
      "search all notifications for the phone number or e-mail address in this file ('-': standard input, behind a token that comes from there)",
    )
    .option('--after <transactionId>', 'search beyond this id only', '0')
    .description('show which data of the payer is stored with these transactions, their refunds and reversals; changes nothing')
    .action(async (ids: string[], options: EraseOptions) => {
      const payments = await paymentsOf(context, ids, options);
      const confirm = codeOf(payments);
      const erase = `payers erase ${payments.map(({ transactionId }) => transactionId).join(' ')} --confirm ${confirm}`;
      context.show({ payments: payments.map(lineOf), erase: confirm === undefined ? null : erase });
    });
  payers
    .command('erase <transactionIds...>')
    .requiredOption('--confirm <code>', 'the code that preview printed; it is valid for exactly these payments in that state')
    .description('erase what preview showed as ERASABLE; ids, amounts and states stay')
    .action(async (ids: string[], { confirm }: EraseOptions) => {
      const payments = await paymentsOf(context, ids, { after: '0' });
      // When everything is erased already, there is nothing to confirm.
      if (confirm !== codeOf(payments) && payments.some(isErasable))
        throw new OperatorError('--confirm does not match: these payments have changed since the preview. Preview them again');
      context.show((await erasePayments(context.connect(), payments)).map(lineOf));
    });
}

async function paymentsOf(context: CommandContext, ids: string[], { payer, after }: EraseOptions): Promise<PaymentErasure[]> {
  const data = new PayerData(context.connect());
  const given = ids.map(id => idOf(id, 'transactionId'));
  const found =
    payer === undefined ? [] : await data.search(context.read(payer).trim(), after === '0' ? 0 : idOf(after, '--after'));
  if (given.length === 0 && payer === undefined)
    throw new OperatorError('name the data to show: transaction ids, or --payer <file>');
  return data.preview([...new Set([...given, ...found])]);
}

function isErasable({ dispatcher, messages, core }: PaymentErasure): boolean {
  return [dispatcher, messages, core].some(item => item?.state === 'ERASABLE');
}

/** A code of the payments' states: it changes when a payment becomes erasable or is no longer erasable. */
function codeOf(payments: readonly PaymentErasure[]): string | undefined {
  if (!payments.some(isErasable)) return undefined;
  const states = payments.map(({ transactionId, dispatcher, messages, core }) => [
    transactionId,
    ...[dispatcher, messages, core].map(item => item?.state ?? null),
  ]);
  return createHash('sha256').update(JSON.stringify(states)).digest('hex').slice(0, 12);
}

function lineOf({ transactionId, dispatcher, messages, core }: PaymentErasure): object {
  const items = [dispatcher, messages, core].filter(item => item !== undefined);
  const holds = [...new Set(items.flatMap(item => item.holds))].join(' ') || null;
  const merchantId = items.find(item => item.merchantId !== null)?.merchantId ?? null;
  const states = { dispatcher: dispatcher.state, messages: stateOf(messages), core: stateOf(core) };
  return { transactionId, merchantId, ...states, holds };
}

function stateOf(item: ErasureItem | undefined): string {
  return item?.state ?? 'not asked';
}
