/** Merchants of a play, with web servers in this process, and customers that pay them. */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  makeMerchantWithReceiver,
  type MerchantWithReceiver as Shop,
} from '../../../libs/platform-client/src/merchant-receiver.ts';
import type { PlatformConnection } from '../../../libs/platform-client/src/platform-connection.ts';

/** On a machine that starts other platforms, a call may take longer than it may take, and a connection may be cut before it is made. */
const triesMax = 5;

export type { Shop };

/** A customer's own, as a gateway sees it that trusts this machine as a proxy. */
export const customerAddress = (): string => `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}::1`;

/** Merchants whose web servers acknowledge at once. */
export async function openShops(platform: PlatformConnection, count: number): Promise<Shop[]> {
  const shops: Shop[] = [];
  for (let at = 0; at < count; at++) shops.push(await triedAgain(() => makeMerchantWithReceiver(platform)));
  return shops;
}

export async function triedAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let left = triesMax - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

/** Payments at an even rate, to one shop after the other. Refused payments are counted, because faults cause refusals. */
export class Traffic {
  /** `refused`: payments that the platform did not take. */
  readonly report = { paid: 0, refused: 0 };
  private isOver = false;
  private waiting = 0;
  private running: Promise<void> = Promise.resolve();
  private readonly shops: readonly Shop[];
  /** Payments in a second; a play may change it. */
  perS = 1;
  /** Customers that wait for an answer; one who comes then goes away again. A play may change it. */
  waitingMax = 200;

  constructor(shops: readonly Shop[]) {
    this.shops = shops;
  }

  begin(): void {
    this.running = this.run();
  }

  async end(): Promise<Traffic['report']> {
    this.isOver = true;
    await this.running;
    return this.report;
  }

  private async run(): Promise<void> {
    for (let turn = 0; !this.isOver; turn++) {
      if (this.waiting < this.waitingMax) void this.payAt(this.shops[turn % this.shops.length]!, turn);
      await pause(1_000 / this.perS);
    }
  }

  private async payAt({ merchant }: Shop, turn: number): Promise<void> {
    this.waiting += 1;
    try {
      const details = { merchantReference: `shop-${turn}-${Date.now().toString(36)}`, amount: '25.50', currencyCode: 'ZAR' };
      const { code } = await merchant.createCode(details);
      await merchant.pay(code);
      this.report.paid += 1;
    } catch {
      // The fault of the play, or what follows from it: the report says how often.
      this.report.refused += 1;
    } finally {
      this.waiting -= 1;
    }
  }
}

/** A web server that answers so late that its payment is reversed; it lets go when the play ends. */
export function answersAfter({ receiver }: Shop, seconds: number, signal: AbortSignal): void {
  receiver.answer = () =>
    pause(seconds * 1_000, 200, { signal }).catch(() => {
      // The play is over; nobody waits for the answer any more.
      return 200;
    });
}
