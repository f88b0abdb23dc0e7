import { eventually } from '@paycode/service-runtime/testing';
import { SimulatorUnderTest } from './testing/simulator-under-test';

interface Completion {
  merchantId: number;
  kind?: string;
  amount: number;
  currencyCode: string;
  txState?: string;
  referenceTransactionId?: number;
  idempotencyKey?: string;
  [other: string]: unknown;
}

const purchase = (idempotencyKey: string, over: Partial<Completion> = {}): Completion => ({
  merchantId: 1001,
  amount: 110.5,
  currencyCode: 'ZAR',
  reference: 'order-1',
  clientMsisdn: '+27831234567',
  idempotencyKey,
  ...over,
});

describe('a completion that is repeated under its key (A-89)', () => {
  const simulator = SimulatorUnderTest.ofSpec();
  simulator.config.merchant(1001, { merchantName: 'Corner Café', acquirer: 'Bank One' });
  simulator.config.merchant(1002, { merchantName: 'Book Shop', acquirer: 'Bank One' });

  const complete = (...items: Completion[]) => simulator.completed(...items.map(item => JSON.stringify(item)));
  /** Ids of the reference's terminals, once those of `last`, which was completed later, are there. */
  const announced = async (reference: string): Promise<number[]> => {
    const [last] = await complete({ merchantId: 1001, amount: 1, currencyCode: 'ZAR' });
    return eventually(async () => {
      const terminals = await simulator.terminals();
      expect(terminals.map(({ transactionId }) => transactionId)).toContain(last);
      return terminals.filter(({ json }) => json.includes(`"${reference}"`)).map(({ transactionId }) => transactionId);
    });
  };

  it('is the first payment, announced once, whether it comes at once or later', async () => {
    const item = purchase('at-once', { reference: 'once' });
    const together = await Promise.all(Array.from({ length: 20 }, () => complete(item)));
    const later = await complete(item, purchase('another', { reference: 'other' }), item);
    const ids = new Set([...together.flat(), later[0], later[2]]);
    expect([ids.size, ids.has(later[1]!)]).toEqual([1, false]);
    expect(await announced('once')).toEqual([...ids]);
  });

  it('is the first payment also when that was reversed and the merchant has another name', async () => {
    const [first] = await complete(purchase('reversed'));
    await simulator.requestReversal(first!);
    await eventually(async () => expect((await simulator.transaction(first!)).reversal).not.toBeNull());
    simulator.config.merchant(1001, { merchantName: 'Corner Café and Bar', acquirer: 'Bank Two' });
    expect(await complete(purchase('reversed'))).toEqual([first]);
  });

  it.each([
    ['amount', { amount: 110.51 }],
    ['reference', { reference: 'order-2' }],
    ['payer', { clientMsisdn: '+27831234568' }],
    ['state', { txState: 'END_BANK_DECLINE' }],
    ['card', { cardInfo: { cardType: 'MASTERCARD' } }],
  ])('with another %s is refused, which names the item; the other purchases of the call stand', async (what, other) => {
    const [first] = await complete(purchase(what));
    const answer = await simulator.complete(
      JSON.stringify([purchase(`${what}-beside`, { reference: `beside-${what}` }), purchase(what, other)]),
    );
    expect([answer.status, answer.data]).toEqual([409, expect.stringContaining('[1].idempotencyKey')]);
    expect(await complete(purchase(what))).toEqual([first]);
    expect(await announced(`beside-${what}`)).toHaveLength(1);
  });

  it('with another state is refused also when the merchant would be told the same', async () => {
    await complete(purchase('failed', { txState: 'END_SOMETHING' }));
    const answer = await simulator.complete(JSON.stringify([purchase('failed', { txState: 'END_SOMETHING_ELSE' })]));
    expect(answer.status).toBe(409);
  });

  it('a key belongs to its merchant', async () => {
    const [first] = await complete(purchase('shared'));
    const [other] = await complete(purchase('shared', { merchantId: 1002 }));
    expect(other).not.toBe(first);
  });

  describe('of a refund', () => {
    const refundOf = async (idempotencyKey: string, over: Partial<Completion> = {}) => {
      const [referenceTransactionId] = await complete(purchase(`${idempotencyKey}-paid`));
      return purchase(idempotencyKey, { kind: 'REFUND', referenceTransactionId, ...over });
    };

    it('gives the money back once, whether it comes at once or later (A-02)', async () => {
      const refund = await refundOf('refund-whole');
      const ids = new Set((await Promise.all(Array.from({ length: 10 }, () => complete(refund)))).flat());
      for (const id of await complete(refund)) ids.add(id);
      expect(ids.size).toBe(1);
      const part = await refundOf('refund-part', { amount: 10 });
      const parts = new Set((await Promise.all(Array.from({ length: 10 }, () => complete(part)))).flat());
      const paid = (await simulator.transaction(part.referenceTransactionId!)) as { refunds?: unknown };
      expect([parts.size, paid.refunds]).toEqual([1, [expect.objectContaining({ amount: 10 })]]);
    });

    it('is refused under the key of a purchase, and nothing is given back', async () => {
      await complete(purchase('of-a-purchase'));
      const refund = await refundOf('of-a-refund');
      const answer = await simulator.complete(JSON.stringify([{ ...refund, idempotencyKey: 'of-a-purchase' }]));
      expect(answer.status).toBe(409);
      expect(await simulator.transaction(refund.referenceTransactionId!)).toMatchObject({ refunds: [] });
    });
  });
});
