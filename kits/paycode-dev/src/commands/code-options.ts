import { amountIn, type CodeWish } from '../platform/shop';
import { accountHelp, accountOptions, type CommandCall, numberIn } from './command';

export const codeOptions = ['amount', 'currency', 'reference', 'merchant-id', ...accountOptions] as const;
export const codeOptionsHelp = `  --amount <decimal>    25.50 unless given
  --currency <code>     ZAR unless given
  --reference <text>    your name of the order; one of its own unless given
  --merchant-id <id>    the merchant; a PSP must name it
${accountHelp}`;

/** @throws UsageError */
export function codeWishOf(call: CommandCall): CodeWish {
  const { values } = call;
  return {
    amount: amountIn(values['amount']),
    currencyCode: values['currency'] ?? 'ZAR',
    reference: values['reference'],
    merchantId: numberIn(call, 'merchant-id', { standard: 0, max: Number.MAX_SAFE_INTEGER }) || undefined,
  };
}
