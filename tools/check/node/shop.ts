import type { MerchantReceiver } from '../../../libs/platform-client/src/merchant-receiver';
import type { Merchant } from '../../../libs/platform-client/src/merchant';
import type { EvaluationGround } from './evaluation-ground';
import { type PaymentsReport, PaymentsUnderWay } from './payments-under-way';

export const customers = 4;

/** A merchant of the cluster, whose shop stands outside of its pods. */
export interface Shop {
  ground: EvaluationGround;
  receiver: MerchantReceiver;
  merchant: Merchant;
}

/** A test that says how long it took, and what a person would look at first when it fails. */
export function part(shop: Shop, name: string, act: () => void | Promise<void>): void {
  it(name, async () => {
    const startedMs = performance.now();
    try {
      await act();
    } catch (error) {
      process.stderr.write(`${shop.ground.described()}\n`);
      throw error;
    } finally {
      process.stdout.write(`${((performance.now() - startedMs) / 1_000).toFixed(0).padStart(4)} s  ${name}\n`);
    }
  });
}

/** Payments are made before, during and after; each is settled by exactly one POST. */
export async function undisturbed(shop: Shop, disturb: (payments: PaymentsUnderWay) => Promise<void>): Promise<void> {
  const payments = new PaymentsUnderWay({ ...shop, customers });
  let report: PaymentsReport | undefined;
  try {
    await payments.more(customers);
    await disturb(payments);
    await payments.more(customers);
  } finally {
    report = await payments.end();
  }
  const { errors, paid, ends, posts } = report;
  expect({ errors, ends, posts }).toEqual({ errors: [], ends: { SETTLED: paid }, posts: { 1: paid } });
}
