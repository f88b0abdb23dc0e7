import { randomUUID } from 'node:crypto';
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

  /** The body that `paycode transactions complete --kind REVERSAL` sends. */
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

  describe('as getNotification and the list of notifications tell it (A-14)', () => {
    let answerWith: (status: number) => void;
    let isAsked: boolean;
    /** A payment whose notification the server holds, unanswered until `answerWith`. */
    async function heldPayment(): Promise<{ paid: number; code: string }> {
      isAsked = false;
      const answered = new Promise<number>(resolve => (answerWith = resolve));
      shop.receiver.answer = ({ status }) => {
        if (status !== 'SUCCESS') return 200;
        isAsked = true;
        return answered;
      };
      const { code } = await shop.merchant.createCode({
        merchantReference: `journey-${randomUUID()}`.slice(0, 45),
        amount: '12.50',
        currencyCode: 'ZAR',
      });
      const paid = await shop.merchant.pay(code);
      await eventually(() => expect(isAsked).toBe(true));
      return { paid, code };
    }
    afterEach(() => answerWith(200));

    const read = async (paid: number) =>
      (accepted('getNotification', await shop.merchant.getNotification(paid)) as { status: string }).status;
    const listed = async (paid: number, code: string) => {
      const path = `/pluto/purchase/notifications?code=${code}`;
      const answer = await platform.gateway({ method: 'GET', path, as: shop.merchant.credentials });
      const { notifications } = accepted('the list', answer) as { notifications: { transactionId: number }[] };
      return notifications.find(({ transactionId }) => transactionId === paid);
    };

    it('regression: the payment reads REVERSED, and the read acknowledges nothing; nor does a late 200 change it', async () => {
      const { paid, code } = await heldPayment();
      const path = `/pluto/code/${code}/simulations`;
      const call = { method: 'POST', path, body: { event: 'REVERSAL' }, as: shop.merchant.credentials };
      const { transactionId } = accepted('the simulation', await platform.gateway(call)) as { transactionId: number };
      await eventually(async () => expect(await shop.merchant.delivery(transactionId)).toBeDefined());
      expect(await read(paid)).toBe('REVERSED');
      expect((await shop.merchant.delivery(paid))!.verdict).toBeNull();
      expect(await shop.merchant.reversal(paid)).toMatchObject({ state: 'ARMED' });
      await eventually(async () => expect(await listed(paid, code)).toMatchObject({ status: 'REVERSED', delivery: 'REVERSED' }));
      answerWith(200);
      await eventually(async () => expect(await shop.merchant.reversal(paid)).toMatchObject({ state: 'SETTLED' }));
      expect(await read(paid)).toBe('REVERSED');
      expect(await listed(paid, code)).toMatchObject({ status: 'REVERSED', delivery: 'REVERSED' });
    });

    it('regression: a payment that the core cannot reverse, because part of it was refunded, reads SUCCESS', async () => {
      const { paid, code } = await heldPayment();
      const { merchantId } = shop.merchant;
      const body = [{ merchantId, kind: 'REFUND', amount: 2.5, currencyCode: 'ZAR', referenceTransactionId: paid, txState: 'END_REFUNDED' }]; // prettier-ignore
      accepted('the refund', await platform.operator('payment-simulator', { method: 'POST', path: '/internal/transactions', body })); // prettier-ignore
      answerWith(500);
      await shop.receiver.webhook(each => each.referenceTransactionId === paid && each.status === 'FAILED');
      expect(await shop.merchant.reversal(paid)).toMatchObject({ state: 'REVERSED' });
      expect(await shop.merchant.transaction(paid)).toMatchObject({ txState: 'SUCCESS' });
      expect(await read(paid)).toBe('SUCCESS');
      await eventually(async () => expect(await listed(paid, code)).toMatchObject({ status: 'SUCCESS', delivery: 'NOTICE' }));
      expect((await shop.merchant.delivery(paid))!.verdict!.kind).toBe('CLOSED_NON200');
    });
  });
});
