import { exitCodes, UsageError } from '../command-error';
import { amountIn, codeIn, type CodeWish, newReference, Shop } from '../platform/shop';
import { accountHelp, accountOf, accountOptions, type Command, type CommandCall, numberIn, show } from './command';

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

const actions: Record<string, (shop: Shop, call: CommandCall) => Promise<string>> = {
  create: (shop, call) => {
    const wish = codeWishOf(call);
    return shop.createCode({ ...wish, reference: wish.reference ?? newReference() });
  },
  pay: (shop, { words, values }) => shop.payCode(codeIn(words[1]), values['outcome'] ?? 'SUCCESS'),
  show: (shop, { words }) => shop.showCode(codeIn(words[1])),
};

export const codesCommand: Command = {
  name: 'codes',
  summary: 'makes, pays (sandbox) and shows payment codes',
  help: `paycode-dev codes create|pay|show: payment codes

  paycode-dev codes create --amount 25.50 --reference order-17
  paycode-dev codes pay 0123456789
  paycode-dev codes show 0123456789 --json

pay works in a sandbox only: it does what its payment page does.

${codeOptionsHelp}  --outcome <state>     how the payment ends (pay); SUCCESS unless given
  --json                the platform's answer, digit for digit

Exit codes
  0  done              2  wrong call    4  not logged in
  1  refused           3  the platform cannot be reached
`,
  firstWords: Object.keys(actions),
  wordsMax: 2,
  options: [...codeOptions, 'outcome'],
  async run(call) {
    const action = actions[call.words[0] ?? ''];
    if (!action) throw new UsageError(`codes needs one of: ${Object.keys(actions).join(', ')}`);
    show(call, await action(new Shop(accountOf(call)), call));
    return exitCodes.good;
  },
};
