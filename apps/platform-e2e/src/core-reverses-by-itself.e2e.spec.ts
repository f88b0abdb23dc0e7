import { eventually } from '@paycode/service-runtime/testing';
import { accepted } from '@paycode/platform-client';
import { makeMerchantWithReceiver, type MerchantWithReceiver, payNewCode, sharedPlatform } from './testing/platform';

/** The core owns the money: it may take a payment back that nobody asked it to. The merchant is told, and that is all. */
describe('a reversal that the core announces by itself', () => {
  const platform = sharedPlatform();
  let shop: MerchantWithReceiver;
  beforeAll(async () => (shop = await makeMerchantWithReceiver(platform)));
  afterAll(() => shop.receiver.stop());

  async function settledPayment(): Promise<number> {
    const transactionId = await payNewCode(shop.merchant);
    await eventually(async () => expect(await shop.merchant.reversal(transactionId)).toMatchObject({ state: 'SETTLED' }));
    return transactionId;
  }

  /** What `paycode transactions complete --kind REVERSAL` sends. */
  async function announceReversal(referenceTransactionId: number, txState: string): Promise<number> {
    const { merchantId } = shop.merchant;
    const body = [{ merchantId, kind: 'REVERSAL', amount: 25.5, currencyCode: 'ZAR', referenceTransactionId, txState }];
    const answer = await platform.operator('payment-simulator', { method: 'POST', path: '/internal/transactions', body });
    return (accepted('the reversal', answer) as [{ transactionId: number }])[0].transactionId;
  }

  describe('as in A-74, A-04, P-I13', () => {
    it.each([
      { txState: 'END_REVERSED', status: 'REVERSED', left: 'END_REVERSED', answer: 200 },
      { txState: 'END_REVERSED', status: 'REVERSED', left: 'END_REVERSED', answer: 500 },
      { txState: 'END_REVERSAL_FAILED', status: 'FAILED', left: 'SUCCESS', answer: 500 },
    ])(
      '$txState is notified as $status and answered $answer: nothing is armed, and the settled payment stays settled',
      async ({ txState, status, left, answer }) => {
        shop.receiver.answer = notification => (notification.status === 'SUCCESS' ? 200 : answer);
        const paid = await settledPayment();
        const announced = await announceReversal(paid, txState);
        const { notification } = await shop.receiver.webhook(each => each.transactionId === announced);
        expect(notification).toMatchObject({ status, referenceTransactionId: paid, merchantId: shop.merchant.merchantId });
        const delivery = await eventually(async () => {
          const found = (await shop.merchant.delivery(announced))!;
          expect(found.attempts[0]).toMatchObject({ outcome: `HTTP ${answer}` });
          return found;
        });
        expect([delivery.armedAt, delivery.verdict?.kind]).toEqual([null, 'NOT_APPLICABLE']);
        // A payment that came later is settled: by then whatever the reversal had set off would have been seen.
        await settledPayment();
        expect(await shop.merchant.reversal(announced)).toBeUndefined();
        expect(await shop.merchant.reversal(paid)).toMatchObject({ state: 'SETTLED' });
        expect((await shop.merchant.delivery(paid))!.verdict!.kind).toBe('ACKED_HTTP');
        expect(await shop.merchant.transaction(paid)).toMatchObject({
          txState: left,
          reversal: { transactionId: announced, txState },
        });
        expect(shop.receiver.received.filter(each => each.notification.transactionId === paid)).toHaveLength(1);
      },
    );
  });
});
