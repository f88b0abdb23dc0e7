import { transactionTerminal } from '@paycode/dto';
import { eventually } from '@paycode/service-runtime/testing';
import { SimulatorUnderTest } from './testing/simulator-under-test';

describe('transactions of the simulator', () => {
  const simulator = SimulatorUnderTest.ofSpec();
  simulator.config.merchant(1001, { merchantName: 'Corner Café', acquirer: 'Bank One' });

  const complete = (...items: string[]) => simulator.completed(...items);
  const purchase = (extra = '') =>
    `{"merchantId":1001,"amount":110.10,"currencyCode":"ZAR","txState":"SUCCESS","reference":"order-1"${extra}}`;

  it('the digits of an amount are answered as they were sent (A-57)', async () => {
    const amounts = ['110.10', '0.01', '0.30', '123456789012345.67', '5'];
    const ids = await complete(...amounts.map(amount => `{"merchantId":1001,"amount":${amount},"currencyCode":"ZAR"}`));
    await eventually(async () => {
      const texts = new Map((await simulator.terminals()).map(({ transactionId, json }) => [transactionId, json]));
      ids.forEach((id, at) => expect(texts.get(id)).toContain(`"amount":${amounts[at]},`));
    });
  });

  it('announces a completed purchase with a complete notification that satisfies the contract (R-0-3, R-2.5-1)', async () => {
    const [id] = await complete(purchase(',"code":"0000000042","clientMsisdn":"+27831234567","tipAmount":10.10'));
    await eventually(async () => {
      const terminal = (await simulator.terminals()).find(({ transactionId }) => transactionId === id)!;
      const { json: _, ...data } = terminal;
      expect(transactionTerminal.parse(data)).toEqual({ ok: true, value: data });
      expect(terminal).toMatchObject({ kind: 'PURCHASE', status: 'SUCCESS', txState: 'SUCCESS', referenceTransactionId: 0 });
      expect(await simulator.notificationOf(id!)).toMatchObject({
        transactionId: id,
        merchantName: 'Corner Café',
        acquirer: 'Bank One',
        reference: 'order-1',
        code: '0000000042',
        clientMsisdn: '+27831234567',
        tipAmount: '10.10',
        bankResponse: { bankResponse: '00' },
        cardInfo: { binLast4: '411111-1111' },
        versionData: { version: '1' },
      });
    });
  });

  it('maps the state to a status, and leaves the bank fields empty when no bank was reached (R-0-6, R-3.3-1)', async () => {
    const [declined, cancelled, odd] = await complete(
      '{"merchantId":1001,"amount":1,"currencyCode":"ZAR","txState":"END_INSUFFICIENT_FUNDS_OR_OVER_CREDIT_LIMIT"}',
      '{"merchantId":1001,"amount":1,"currencyCode":"ZAR","txState":"END_CLIENT_CANCEL"}',
      '{"merchantId":1001,"amount":1,"currencyCode":"ZAR","txState":"END_SOMETHING_NEW"}',
    );
    await eventually(async () => {
      expect(await simulator.notificationOf(declined!)).toMatchObject({
        status: 'BANK_REJECTED',
        bankResponse: { bankResponse: '51' },
      });
      expect(await simulator.notificationOf(cancelled!)).toMatchObject({
        status: 'CLIENT_CANCEL',
        bankResponse: { bankResponse: null },
      });
      expect((await simulator.notificationOf(odd!)).status).toBe('FAILED');
    });
  });

  describe('as in R-2.5-10, R-3.1-6, A-04, P-I2, T-21', () => {
    it('a reversal is one transaction of its own, linked to the original, however often it is asked for', async () => {
      const [id] = await complete(purchase());
      await simulator.requestReversal(id!, 5);
      await simulator.requestReversal(id!, 5);
      const reversal = await eventually(async () => {
        const original = await simulator.transaction(id!);
        expect(original).toMatchObject({ txState: 'END_REVERSED', reversal: { txState: 'END_REVERSED' } });
        return original.reversal!.transactionId;
      });
      await eventually(async () =>
        expect(await simulator.notificationOf(reversal)).toMatchObject({
          transactionId: reversal,
          status: 'REVERSED',
          referenceTransactionId: id,
          amount: '110.10',
          reference: 'order-1',
        }),
      );
      // Once the reversal of a later payment is done, the repeated requests before it are done too and have created nothing.
      const [later] = await complete(purchase());
      await simulator.requestReversal(later!);
      await eventually(async () => expect((await simulator.transaction(later!)).reversal).not.toBeNull());
      const reversals = (await simulator.terminals()).filter(({ referenceTransactionId }) => referenceTransactionId === id);
      expect(reversals).toHaveLength(1);
    });
  });

  it('a reversal whose original cannot be read is parked; the others of its batch are done (T-29)', async () => {
    const ids = await complete(...Array.from({ length: 6 }, () => purchase()));
    const unreadable = ids[2]!;
    await simulator.storeNotification(unreadable, null);
    await Promise.all(ids.map(id => simulator.requestReversal(id)));
    await eventually(async () => {
      const reversals = await Promise.all(ids.map(async id => (await simulator.transaction(id)).reversal !== null));
      expect(reversals).toEqual(ids.map(id => id !== unreadable));
    });
    await eventually(async () => expect(await simulator.parked('payment-simulator')).toEqual([String(unreadable)]));
  });

  it('regression: a payment is reversed also when its reference is a card number by a rule that came later (R-3.1-2, A-75)', async () => {
    const [id] = await complete(purchase());
    await eventually(() => simulator.notificationOf(id!));
    const { json } = (await simulator.terminals()).find(({ transactionId }) => transactionId === id)!;
    await simulator.storeNotification(id!, json.replace('order-1', 'PAN4111111111111111'));
    await simulator.requestReversal(id!);
    await eventually(async () => expect((await simulator.transaction(id!)).reversal).toMatchObject({ txState: 'END_REVERSED' }));
  });

  describe('as in R-2.5-10, R-3.2-3, A-02', () => {
    it('refunds in full or in part, never more than was paid, and no reversed payment', async () => {
      const [id] = await complete(purchase());
      const refund = (amount: string) =>
        `{"merchantId":1001,"kind":"REFUND","amount":${amount},"currencyCode":"ZAR","referenceTransactionId":${id}}`;
      const [part] = await complete(refund('100.00'));
      await eventually(async () =>
        expect(await simulator.notificationOf(part!)).toMatchObject({
          status: 'REFUNDED',
          referenceTransactionId: id,
          amount: '100.00',
        }),
      );
      const tooMuch = await simulator.complete(`[${refund('10.11')}]`);
      expect([tooMuch.status, tooMuch.data]).toEqual([400, expect.stringContaining('more than was paid')]);
      await complete(refund('10.10'));
      await simulator.requestReversal(id!);
      await eventually(async () =>
        expect((await simulator.transaction(id!)).reversal).toMatchObject({ txState: 'END_REVERSAL_FAILED' }),
      );
      expect(await simulator.transaction(id!)).toMatchObject({ txState: 'SUCCESS' });
    });
  });

  it('of concurrent refunds only as many succeed as the payment covers (A-02)', async () => {
    const [id] = await complete(purchase());
    const refund = `[{"merchantId":1001,"kind":"REFUND","amount":50,"currencyCode":"ZAR","referenceTransactionId":${id}}]`;
    const answers = await Promise.all(Array.from({ length: 6 }, () => simulator.complete(refund)));
    expect(answers.filter(answer => answer.status === 201)).toHaveLength(2);
  });

  const reversal = (id: number, extra = '') =>
    `{"merchantId":1001,"kind":"REVERSAL","amount":110.10,"currencyCode":"ZAR","referenceTransactionId":${id}${extra}}`;

  it.each([
    ['END_REVERSED', 'REVERSED', 'END_REVERSED'],
    ['END_REVERSAL_FAILED', 'FAILED', 'SUCCESS'],
  ])('announces %s by itself, as a core may do; the merchant gets %s (A-74)', async (txState, status, originalState) => {
    const [id] = await complete(purchase());
    const [own] = await complete(reversal(id!, `,"txState":"${txState}"`));
    await eventually(async () => {
      const terminal = (await simulator.terminals()).find(({ transactionId }) => transactionId === own);
      expect(terminal).toMatchObject({ kind: 'REVERSAL', status, txState, referenceTransactionId: id });
    });
    expect(await simulator.notificationOf(own!)).toMatchObject({ transactionId: own, status, referenceTransactionId: id });
    expect(await simulator.transaction(id!)).toMatchObject({ txState: originalState, reversal: { transactionId: own, txState } });
  });

  it('the database itself refuses a second reversal of a payment, whatever program asks (P-I2, R-3.1-6)', async () => {
    const [id] = await complete(purchase());
    await complete(reversal(id!, ',"txState":"END_REVERSED"'));
    await expect(simulator.storeReversalAgain(id!)).rejects.toThrow('transaction_one_reversal');
  });

  it('a reversal that the core cannot have done is refused and changes nothing (A-02, A-74)', async () => {
    const [paid, declined, refunded] = await complete(purchase(), purchase().replace('SUCCESS', 'END_BANK_DECLINE'), purchase());
    await complete(reversal(refunded!).replace('REVERSAL', 'REFUND').replace('110.10', '1'));
    const refused = [
      reversal(declined!),
      reversal(refunded!),
      reversal(paid!).replace('110.10', '110.09'),
      reversal(paid!).replace('ZAR', 'USD'),
      reversal(1),
    ];
    for (const item of refused) {
      const answer = await simulator.complete(`[${item}]`);
      expect([item, answer.status, answer.data]).toEqual([item, 400, expect.stringContaining('referenceTransactionId')]);
    }
    await complete(reversal(paid!));
    expect((await simulator.complete(`[${reversal(paid!)}]`)).data).toContain('was reversed before');
  });

  it('nothing personal is readable in the database or in the event log (T-16, P-I14)', async () => {
    const [id] = await complete(purchase(',"clientMsisdn":"+27839876543","cardInfo":{"cardHolderName":"A VERY PRIVATE NAME"}'));
    await eventually(async () =>
      expect((await simulator.notificationOf(id!)).cardInfo.cardHolderName).toBe('A VERY PRIVATE NAME'),
    );
    expect(await simulator.storedText()).not.toMatch(/27839876543|PRIVATE|411111/);
  });

  it.each([
    ['{"merchantId":1001,"amount":1e16,"currencyCode":"ZAR"}', '[0].amount'],
    ['{"merchantId":1001,"amount":1.001,"currencyCode":"ZAR"}', '[0].amount'],
    ['{"merchantId":1001,"amount":1,"currencyCode":"ZZZ"}', '[0].currencyCode'],
    ['{"merchantId":1001,"amount":1,"currencyCode":"ZAR","txState":"PENDING"}', '[0].txState'],
    ['{"merchantId":1001,"amount":1,"currencyCode":"ZAR","txState":"END_REVERSED"}', '[0].txState'],
    ['{"merchantId":1001,"amount":1,"currencyCode":"ZAR","kind":"REVERSAL"}', '[0].referenceTransactionId'],
    ['{"merchantId":1001,"amount":1,"currencyCode":"ZAR","kind":"REVERSAL","txState":"SUCCESS"}', '[0].txState'],
    ['{"merchantId":1001,"amount":1,"currencyCode":"ZAR","kind":"REVERSAL","txState":"END_REFUNDED"}', '[0].txState'],
    ['{"merchantId":1001,"amount":1,"currencyCode":"ZAR","kind":"REFUND","txState":"END_REVERSAL_FAILED"}', '[0].txState'],
    ['{"merchantId":1001,"amount":1,"currencyCode":"ZAR","kind":"toString"}', '[0].kind'],
    ['{"merchantId":1001,"amount":1,"currencyCode":"zar"}', '[0].currencyCode'],
    ['{"merchantId":1001,"amount":5.00,"currencyCode":"ZAR","tipAmount":5.01}', '[0].tipAmount'],
    ['{"merchantId":1001,"amount":1,"currencyCode":"ZAR","clientContact":{"country":"UK"}}', '[0].clientContact.country'],
    ['{"merchantId":"1001","amount":1,"currencyCode":"ZAR"}', '[0].merchantId'],
    ['{"merchantId":1001,"amount":1,"currencyCode":"ZAR","idempotencyKey":""}', '[0].idempotencyKey'],
    ['{"merchantId":1001,"amount":1,"currencyCode":"ZAR","idempotencyKey":"two words"}', '[0].idempotencyKey'],
    [`{"merchantId":1001,"amount":1,"currencyCode":"ZAR","idempotencyKey":"${'k'.repeat(101)}"}`, '[0].idempotencyKey'],
    ['{"merchantId":9999,"amount":1,"currencyCode":"ZAR"}', 'merchantId'],
  ])('refuses %s and names the field (A-84, A-89)', async (item, field) => {
    const answer = await simulator.complete(`[${item}]`);
    expect([answer.status, (JSON.parse(answer.data) as { errors: { field: string }[] }).errors[0]!.field]).toEqual([400, field]);
  });

  it.each([
    ['cardInfo.cardHolderName', ',"cardInfo":{"cardHolderName":"4111111111111111"}'],
    ['cardInfo.cardIssuer', ',"cardInfo":{"cardIssuer":"X\\n4111-1111-1111-1111"}'],
    ['bankResponse.bankResponseMessage', ',"bankResponse":{"bankResponseMessage":"card 4111 1111 1111 1111"}'],
    ['extraReferenceValue', ',"extraReferenceValue":"4111111111111111"'],
    ['clientBilling', ',"clientBilling":{"lines":["4111111111111111"]}'],
  ])('refuses a full card number in %s without repeating it (R-2.5-15)', async (field, extra) => {
    const answer = await simulator.complete(`[${purchase(extra)}]`);
    expect([answer.status, answer.data]).toEqual([400, expect.stringContaining(field)]);
    expect(answer.data).not.toMatch(/4111.?1111/);
  });

  it('takes at most 1,000 completions at a time', async () => {
    expect(await complete(...Array.from({ length: 1_000 }, () => purchase()))).toHaveLength(1_000);
    expect((await simulator.complete(`[${Array.from({ length: 1_001 }, () => purchase()).join()}]`)).status).toBe(413);
  });

  describe('the data of a payer is erased (T-43)', () => {
    interface Item {
      transactionId: number;
      state: string;
      relatedIds: number[];
    }
    const erasures = async (path: string, body: object) => {
      const answer = await simulator.operator(`/internal/erasures${path}`, JSON.stringify(body));
      return { status: answer.status, data: JSON.parse(answer.data) as Item[] };
    };
    const purchase = '{"merchantId":1001,"amount":110.10,"currencyCode":"ZAR","clientMsisdn":"+27831112222"}';

    it('with the refunds and the reversal of the payment, which can still be reversed afterwards, once', async () => {
      const [id] = await simulator.completed(purchase);
      await eventually(async () =>
        expect((await erasures('/preview', { transactionIds: [id] })).data[0]!.state).toBe('ERASABLE'),
      );
      expect((await erasures('', { transactionIds: [id] })).data).toMatchObject([{ transactionId: id, state: 'ERASED' }]);
      expect(await simulator.transaction(id!)).toMatchObject({ txState: 'SUCCESS', amount: 110.1 });

      await simulator.requestReversal(id!, 2);
      const { reversal } = await eventually(async () => {
        const transaction = await simulator.transaction(id!);
        expect(transaction.reversal).not.toBeNull();
        return transaction;
      });
      expect(await eventually(() => simulator.notificationOf(reversal!.transactionId))).toMatchObject({
        status: 'REVERSED',
        amount: '110.10',
        clientMsisdn: '+9990000000',
      });
      const { data } = await erasures('/preview', { transactionIds: [id, reversal!.transactionId] });
      expect(data).toMatchObject([
        { state: 'ERASED', relatedIds: [reversal!.transactionId] },
        { state: 'ERASED', relatedIds: [id] },
      ]);
    });

    it.each([
      ['', {}],
      ['', { transactionIds: [] }],
      ['/preview', { transactionIds: ['1'] }],
      ['/preview', { transactionIds: Array.from({ length: 201 }, (_, at) => at + 1) }],
      ['/search', { payer: 'x' }],
      ['/search', { payer: '+27831112222', afterId: -1 }],
    ])('POST /internal/erasures%s refuses %j', async (path, body) => {
      expect((await erasures(path, body)).status).toBe(400);
    });
  });
});
