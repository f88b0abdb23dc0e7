import { setTimeout as pause } from 'node:timers/promises';
import type { FollowUp, Scenario } from '@paycode/dto/sandbox';
import type { CodeWish, Payment, Shop } from '../platform/shop';

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
