import { setTimeout as pause } from 'node:timers/promises';
import { type FollowUp, type Scenario, scenarios } from '@paycode/dto/sandbox';
import { exitCodes, UsageError } from '../command-error';
import { type CodeWish, type Payment, Shop } from '../platform/shop';
import { codeOptions, codeOptionsHelp, codeWishOf } from './codes-command';
import { accountOf, type Command, numberIn, relayNameOf } from './command';

export interface Stage {
  shop: Shop;
  wish: CodeWish;
  /** Payments of a burst. */
  count: number;
  /** How long a slow customer takes. */
  afterMs: number;
  /** Name of the relay whose listener rehearses. */
  relay: string;
}

/** Plays a scenario of the sandbox's list. */
export async function play(scenario: Scenario, stage: Stage): Promise<Payment[]> {
  const { shop, relay } = stage;
  if (scenario.rehearsal) await shop.rehearse(relay, scenario.rehearsal);
  if (scenario.pace === 'ALL_AT_ONCE') return burst(stage);
  const isSlow = scenario.pace === 'CUSTOMER_IS_SLOW';
  // A reference is good for one code.
  const wish = scenario.payments.length > 1 ? { ...stage.wish, reference: undefined } : stage.wish;
  const payments: Payment[] = [];
  for (const txState of scenario.payments) {
    const made = await shop.newCode(wish);
    if (isSlow) await pause(stage.afterMs);
    payments.push(await shop.pay(made, txState));
  }
  return scenario.followUp ? [...payments, await followed(shop, payments[0]!, scenario.followUp)] : payments;
}

async function burst({ shop, wish, count }: Stage): Promise<Payment[]> {
  const codes = await Promise.all(Array.from({ length: count }, () => shop.newCode({ ...wish, reference: undefined })));
  return Promise.all(codes.map(made => shop.pay(made, 'SUCCESS')));
}

async function followed(shop: Shop, payment: Payment, event: FollowUp): Promise<Payment> {
  const { transactionId, status } = JSON.parse(await shop.simulate(payment.code, event)) as Payment;
  return { ...payment, transactionId, status };
}

const names = scenarios.map(({ name }) => name);
const isInPortalOnly = ({ playedBy }: Scenario): boolean => !playedBy.includes('COMMAND');
function lineOf(scenario: Scenario): string {
  const where = isInPortalOnly(scenario) ? 'in the portal' : scenario.rehearsal && 'with paycode-dev listen';
  return where ? `  ${scenario.name.padEnd(18)}${where}\n` : `  ${scenario.name}\n`;
}

export const triggerCommand: Command = {
  name: 'trigger',
  summary: 'makes the sandbox send your receiver notifications',
  help: `paycode-dev trigger <scenario>: makes the sandbox send notifications

  paycode-dev trigger success
  paycode-dev trigger refund --amount 10.00
  paycode-dev trigger burst --count 50

It makes codes, pays them, and says what your receiver is going to see. The
receiver gets it from the platform, at the URL that is registered. A payment
that it does not answer with 200 within 45 seconds is reversed.

Scenarios
${scenarios.map(lineOf).join('')}
Those marked so need a paycode-dev listen that runs, which plays them: they
happen only after a fault. Those of the portal are played under Sandbox, at
/console/sandbox of the platform. Forged bodies: paycode-dev verify.

${codeOptionsHelp}  --count <number>      payments of a burst, at most 100; 20 unless given
  --after <seconds>     how long the customer of slow takes; 20 unless given
  --name <name>         of the listener; dev unless given
  --json                the payments as JSON

Exit codes
  0  done              2  wrong call    4  not logged in
  1  refused           3  the platform cannot be reached
`,
  firstWords: names,
  wordsMax: 1,
  options: [...codeOptions, 'count', 'after', 'name'],
  async run(call) {
    const name = call.words[0] ?? '';
    const scenario = scenarios.find(each => each.name === name);
    if (name === '') throw new UsageError('trigger needs the name of a scenario: see paycode-dev trigger --help');
    if (!scenario) throw new UsageError(`there is no scenario ${JSON.stringify(name)}: see paycode-dev trigger --help`);
    if (isInPortalOnly(scenario)) throw new UsageError(`${name} is played in the portal: /console/sandbox of the platform`);
    const count = numberIn(call, 'count', { standard: 20, max: 100 });
    const afterMs = numberIn(call, 'after', { standard: 20, max: 1_500 }) * 1_000;
    const { write } = call.surroundings;
    const isJson = call.flags.has('json');
    if (!isJson) write(`Your receiver is going to see ${scenario.sees}.\n`);
    const stage = { shop: new Shop(accountOf(call)), wish: codeWishOf(call), count, afterMs, relay: relayNameOf(call) };
    const payments = await play(scenario, stage);
    if (isJson) write(`${JSON.stringify({ scenario: name, sees: scenario.sees, payments }, null, 2)}\n`);
    else
      for (const { transactionId, status, merchantReference } of payments)
        write(`${transactionId}  ${status}  ${merchantReference}\n`);
    return exitCodes.good;
  },
};
