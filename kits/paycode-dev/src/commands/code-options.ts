import { amountIn, type CodeWish } from '../platform/shop';
import { type CommandCall, numberIn } from './command';

export const codeOptions = ['amount', 'currency', 'reference', 'merchant-id', 'url'] as const;
export const codeOptionsHelp = `  --amount <decimal>    25.50 unless given
  --currency <code>     ZAR unless given
  --reference <text>    your name of the order; one of its own unless given
  --merchant-id <id>    the merchant; a PSP must name it
  --url <url>           the platform; that of the last login unless given
`;

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
