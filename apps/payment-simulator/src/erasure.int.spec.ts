import { eventually } from '@paycode/service-runtime/testing';
import { SimulatorUnderTest } from './testing/simulator-under-test';

describe('the payment core erases the data of a payer (T-43)', () => {
  let simulator: SimulatorUnderTest;
  beforeAll(async () => {
    simulator = await SimulatorUnderTest.start();
    simulator.config.merchant(1001, { merchantName: 'Shop', acquirer: 'Bank One' });
  });
  afterAll(() => simulator.stop());

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
  const complete = async (body: string): Promise<number> => {
    const [{ transactionId }] = JSON.parse((await simulator.complete(`[${body}]`)).data) as [{ transactionId: number }];
    return transactionId;
  };

  it('with the refunds and the reversal of the payment, which can still be reversed afterwards, once', async () => {
    const id = await complete(purchase);
    await eventually(async () => expect((await erasures('/preview', { transactionIds: [id] })).data[0]!.state).toBe('ERASABLE'));
    expect((await erasures('', { transactionIds: [id] })).data).toMatchObject([{ transactionId: id, state: 'ERASED' }]);
    expect(await simulator.transaction(id)).toMatchObject({ txState: 'SUCCESS', amount: 110.1 });

    await simulator.requestReversal(id, 2);
    const { reversal } = await eventually(async () => {
      const transaction = await simulator.transaction(id);
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
