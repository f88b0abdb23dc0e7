import { randomUUID } from 'node:crypto';
import { UsageError } from '../command-error';
import type { Rehearsed } from '../listen/rehearsal';
import type { Account } from './account';

export interface CodeWish {
  /** Exact decimal as digits. */
  amount: string;
  currencyCode: string;
  reference: string | undefined;
  /** A PSP must name it. */
  merchantId: number | undefined;
}

export interface Payment {
  code: string;
  merchantReference: string;
  transactionId: number;
  status: string;
}

const payer = '+27820000001';

/** The actions of a merchant and its customer: codes, payments, and in the sandbox refunds and the like. */
export class Shop {
  constructor(private readonly account: Account) {}

  /** The platform's answer, digit for digit. @throws CommandError */
  createCode({ amount, currencyCode, reference, merchantId }: CodeWish & { reference: string }): Promise<string> {
    const members = { merchantReference: reference, currencyCode, ...(merchantId === undefined ? {} : { merchantId }) };
    // The amount is text until here: a float would lose its zeros.
    const body = `${JSON.stringify(members).slice(0, -1)},"amount":${amount}}`;
    return this.account.call('createCode', { method: 'POST', path: '/pluto/code/create', body });
  }

  showCode(code: string): Promise<string> {
    return this.account.call('getCode', { method: 'GET', path: `/pluto/code/${code}` });
  }

  /** In the sandbox anybody who has the code can pay it. @throws CommandError */
  payCode(code: string, outcome: string): Promise<string> {
    const body = JSON.stringify({ outcome, clientMsisdn: payer });
    return this.account.call('payCode', { method: 'POST', path: `/public/pay/${code}`, body });
  }

  simulate(code: string, event: 'REFUND' | 'REVERSAL'): Promise<string> {
    const body = JSON.stringify({ event });
    return this.account.call('simulateEvent', { method: 'POST', path: `/pluto/code/${code}/simulations`, body });
  }

  /** Asks the account's `paycode-dev listen` to play this with what comes next. @throws CommandError when nobody listens */
  async rehearse(relay: string, scenario: Rehearsed): Promise<void> {
    const call = { method: 'POST', path: `/pluto/relay/${relay}/rehearsal`, body: JSON.stringify({ scenario }) } as const;
    await this.account.call(`${scenario} needs paycode-dev listen, which plays it`, call);
  }

  /** A new code, ready to be paid. */
  async newCode(wish: CodeWish): Promise<{ code: string; merchantReference: string }> {
    const reference = wish.reference ?? newReference();
    const { code } = JSON.parse(await this.createCode({ ...wish, reference })) as { code: string };
    return { code, merchantReference: reference };
  }

  async pay(made: { code: string; merchantReference: string }, outcome: string): Promise<Payment> {
    const { transactionId, status } = JSON.parse(await this.payCode(made.code, outcome)) as Payment;
    return { ...made, transactionId, status };
  }
}

export function newReference(): string {
  return `dev-${randomUUID()}`;
}

/** A code as a word of the command line. @throws UsageError */
export function codeIn(word: string | undefined): string {
  if (word === undefined || !/^\d{10}$/.test(word)) throw new UsageError('a code has 10 digits');
  return word;
}

/** An amount as a word of the command line. @throws UsageError */
export function amountIn(word: string | undefined): string {
  if (word === undefined) return '25.50';
  if (!/^(0|[1-9]\d{0,14})(\.\d{1,4})?$/.test(word)) throw new UsageError('--amount: a plain decimal number, e.g. 25.50');
  return word;
}
