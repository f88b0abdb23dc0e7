import { setTimeout as pause } from 'node:timers/promises';
import type { CodeWish, Payment, Shop } from '../platform/shop';

export interface Scenario {
  /** What the receiver is going to see. */
  sees: string;
  play(stage: Stage): Promise<Payment[]>;
}

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

/** A status of a purchase and the TxState that the sandbox makes it with. */
const ends: readonly (readonly [status: string, txState: string])[] = [
  ['SUCCESS', 'SUCCESS'],
  ['BANK_REJECTED', 'END_BANK_DECLINE'],
  ['BANK_OFFLINE', 'END_BANK_OFFLINE'],
  ['CLIENT_CANCEL', 'END_CLIENT_CANCEL'],
  ['CLIENT_TIMEOUT', 'END_CLIENT_TIMEOUT'],
  ['TRANSACTION_REJECTED', 'END_INVALID_AMOUNT'],
  ['SYSTEM_ERROR', 'END_SYSTEM_ERROR'],
  ['LIMIT_FAILED', 'END_LIMIT_FAILED'],
  ['HASH_CHECK_FAILED', 'END_HASH_CHECK_FAILED'],
  ['HASH_CHECK_MISSING', 'END_HASH_CHECK_MISSING'],
  ['BANK_PAYMENT_CANCELLATION', 'END_BANK_PAYMENT_CANCELLATION'],
  ['DO_NOT_TRY_AGAIN', 'END_DO_NOT_TRY_AGAIN'],
  ['TRY_AGAIN_AFTER_X_HRS', 'END_TRY_AGAIN_AFTER_X_HRS'],
  ['CARD_EXPRIY_NOT_ALLOWED', 'END_CARD_EXPRIY_NOT_ALLOWED'],
  ['INTERNATIONAL_BIN_NOT_ALLOWED', 'END_INTERNATIONAL_BIN_NOT_ALLOWED'],
  ['BIN_CLASSIFICATION_NOT_ALLOWED', 'END_NOTALLOW_BIN_CLASSIFICATION'],
  ['TIMEOUT_PURCHASE', 'END_TIMEOUT_PURCHASE'],
  ['FAILED', 'END_FAILED'],
];

async function payNew({ shop, wish }: Stage, txState = 'SUCCESS'): Promise<Payment> {
  return shop.pay(await shop.newCode(wish), txState);
}

async function followed(stage: Stage, event: 'REFUND' | 'REVERSAL'): Promise<Payment[]> {
  const payment = await payNew(stage);
  const { transactionId, status } = JSON.parse(await stage.shop.simulate(payment.code, event)) as Payment;
  return [payment, { ...payment, transactionId, status }];
}

const single = ends.map(([status, txState]): [string, Scenario] => [
  status.toLowerCase().replaceAll('_', '-'),
  { sees: `one notification with status ${status}`, play: async stage => [await payNew(stage, txState)] },
]);

/** Each scenario that `trigger` plays, by its name. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  ...Object.fromEntries(single),
  'all-statuses': {
    sees: `${ends.length} notifications, one with each status of a purchase: ${ends.map(([status]) => status).join(', ')}`,
    async play(stage) {
      const payments: Payment[] = [];
      for (const [, txState] of ends)
        payments.push(await payNew({ ...stage, wish: { ...stage.wish, reference: undefined } }, txState));
      return payments;
    },
  },
  refund: {
    sees: 'a SUCCESS, then a REFUNDED whose referenceTransactionId is the id of the payment',
    play: stage => followed(stage, 'REFUND'),
  },
  reversal: {
    sees: 'a SUCCESS, and a REVERSED whose referenceTransactionId is the id of the payment; the REVERSED may come first',
    play: stage => followed(stage, 'REVERSAL'),
  },
  duplicate: {
    sees: 'a SUCCESS twice, the second time as attempt 2, whose answer counts: without a 200 the payment is reversed',
    async play(stage) {
      await stage.shop.rehearse(stage.relay, 'duplicate');
      return [await payNew(stage)];
    },
  },
  'out-of-order': {
    sees: 'a REVERSED, and only when you have answered it the SUCCESS that it reverses',
    async play(stage) {
      await stage.shop.rehearse(stage.relay, 'out-of-order');
      return followed(stage, 'REVERSAL');
    },
  },
  slow: {
    sees: 'nothing while the customer takes their time (--after), then a SUCCESS',
    async play({ shop, wish, afterMs }) {
      const made = await shop.newCode(wish);
      await pause(afterMs);
      return [await shop.pay(made, 'SUCCESS')];
    },
  },
  burst: {
    sees: 'as many SUCCESS notifications as --count says, many at once',
    async play({ shop, wish, count }) {
      const codes = await Promise.all(Array.from({ length: count }, () => shop.newCode({ ...wish, reference: undefined })));
      return Promise.all(codes.map(made => shop.pay(made, 'SUCCESS')));
    },
  },
};
