import { eventually } from '@paycode/service-runtime/testing';
import { setTimeout as pause } from 'node:timers/promises';
import type { MerchantReceiver } from '../../../libs/platform-client/src/merchant-receiver';
import type { Merchant } from '../../../libs/platform-client/src/merchant';

/** A customer's rest: the node has the processor of this machine, and a gateway limits what comes from one address. */
const betweenPaymentsMs = 500;

export interface PaymentsReport {
  /** Of the shop's and the customers' calls. */
  errors: string[];
  paid: number;
  ends: Record<string, number>;
  /** Payments by the number of POSTs that the shop received for them. */
  posts: Record<string, number>;
}

export interface PaymentsOptions {
  merchant: Merchant;
  receiver: MerchantReceiver;
  customers: number;
  /** A customer whose call fails tries again, in place of leaving. */
  isErrorExpected?: boolean;
}

/** Customers who pay one after the other while a test does something to the platform. */
export class PaymentsUnderWay {
  private readonly transactions: number[] = [];
  private readonly errors: string[] = [];
  private isOver = false;
  private readonly merchant: Merchant;
  private readonly receiver: MerchantReceiver;
  private readonly isErrorExpected: boolean;
  private readonly customers: Promise<void>[];

  constructor({ merchant, receiver, customers, isErrorExpected = false }: PaymentsOptions) {
    this.merchant = merchant;
    this.receiver = receiver;
    this.isErrorExpected = isErrorExpected;
    this.customers = Array.from({ length: customers }, (_, index) => this.payAgainAndAgain(index));
  }

  /** Waits until `count` more payments were made. */
  more(count: number): Promise<void> {
    const wanted = this.transactions.length + count;
    return eventually(() => {
      if (this.isOver) throw new Error(this.errors.join('\n'));
      if (this.transactions.length < wanted) throw new Error(`${this.transactions.length} of ${wanted} payments were made`);
    }, 240_000);
  }

  /** Waits until that many were made one after the other, and no call failed meanwhile. */
  moreWithoutError(count: number): Promise<void> {
    return eventually(async () => {
      const failed = this.errors.length;
      await this.more(count);
      if (this.errors.length > failed) throw new Error(this.errors.at(-1));
    }, 240_000);
  }

  /** The payments that are settled by now, as an operator sees it. */
  async settled(): Promise<number[]> {
    const found: number[] = [];
    for (const transaction of this.transactions)
      if ((await this.merchant.reversal(transaction))?.state === 'SETTLED') found.push(transaction);
    return found;
  }

  /** Lets the customers go, and waits until every payment is decided. */
  async end(): Promise<PaymentsReport> {
    this.isOver = true;
    await Promise.all(this.customers);
    const ends: Record<string, number> = {};
    const posts: Record<string, number> = {};
    for (const transaction of this.transactions) {
      count(ends, await this.decided(transaction));
      count(
        posts,
        String(this.receiver.received.filter(({ notification }) => notification.transactionId === transaction).length),
      );
    }
    return { errors: this.errors, paid: this.transactions.length, ends, posts };
  }

  private async payAgainAndAgain(customer: number): Promise<void> {
    for (let turn = 0; !this.isOver; turn += 1) {
      try {
        const merchantReference = `c${customer}-${turn}-${Date.now().toString(36)}`;
        const { code } = await this.merchant.createCode({ merchantReference, amount: '10.00', currencyCode: 'ZAR' });
        this.transactions.push(await this.merchant.pay(code));
      } catch (error) {
        this.errors.push((error as Error).message);
        this.isOver ||= !this.isErrorExpected;
      }
      await pause(betweenPaymentsMs);
    }
  }

  private decided(transaction: number): Promise<string> {
    return eventually(async () => {
      const state = (await this.merchant.reversal(transaction))?.state ?? 'UNKNOWN';
      if (state !== 'SETTLED' && state !== 'REVERSED') throw new Error(`payment ${transaction} is ${state}`);
      return state;
    });
  }
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
