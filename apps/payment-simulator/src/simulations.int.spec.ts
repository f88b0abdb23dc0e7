import type { Identity } from '@paycode/dto';
import { eventually } from '@paycode/service-runtime/testing';
import { SimulatorUnderTest } from './testing/simulator-under-test';

const merchant = (merchantId: number): Partial<Identity> => ({
  subject: `merchant-${merchantId}`,
  accountType: 'MERCHANT',
  ownerId: merchantId,
});

describe('what a merchant lets the sandbox do to its payment', () => {
  let simulator: SimulatorUnderTest;
  let references = 0;
  beforeAll(async () => {
    simulator = await SimulatorUnderTest.start();
    simulator.config.merchant(1001);
    simulator.config.merchant(1002);
  });
  afterAll(() => simulator.stop());

  const post = async (caller: Partial<Identity> | null, path: string, body: object) => {
    const answer = await simulator.asCaller(caller, 'POST', { path, body: JSON.stringify(body) });
    return { status: answer.status, data: JSON.parse(answer.data) };
  };
  const newCode = async (): Promise<string> => {
    const body = { merchantReference: `order-${++references}`, amount: 110.1, currencyCode: 'ZAR' };
    return (await post(merchant(1001), '/pluto/code/create', body)).data.code;
  };
  const pay = async (code: string, outcome = 'SUCCESS'): Promise<number> =>
    (await post(null, `/public/pay/${code}`, { outcome, clientMsisdn: '+27820000000' })).data.transactionId;
  const simulate = (code: string, event: string, caller = merchant(1001)) =>
    post(caller, `/pluto/code/${code}/simulations`, { event });

  it.each([
    ['REFUND', 'REFUNDED'],
    ['REVERSAL', 'REVERSED'],
  ])('%s: the whole payment, announced as the core announces it (A-74)', async (event, status) => {
    const code = await newCode();
    const paid = await pay(code);
    const answer = await simulate(code, event);
    expect(answer).toMatchObject({ status: 200, data: { status } });
    await eventually(async () =>
      expect(await simulator.notificationOf(answer.data.transactionId)).toMatchObject({
        status,
        amount: '110.1',
        referenceTransactionId: paid,
        clientMsisdn: '+27820000000',
      }),
    );
    expect((await simulate(code, event)).status).toBe(400);
  });

  it('not for a code without a payment, nor for a payment that failed', async () => {
    const code = await newCode();
    expect(await simulate(code, 'REFUND')).toMatchObject({ status: 400, data: { errors: [{ field: 'code' }] } });
    await pay(code, 'END_BANK_DECLINE');
    expect((await simulate(code, 'REFUND')).status).toBe(400);
  });

  it('not for the code of another merchant, which looks like none (A-16)', async () => {
    const code = await newCode();
    await pay(code);
    expect((await simulate(code, 'REVERSAL', merchant(1002))).status).toBe(404);
  });

  it('no other event (R-7-6)', async () => {
    expect(await simulate(await newCode(), 'PAYOUT')).toMatchObject({ status: 400, data: { errors: [{ field: 'event' }] } });
  });
});
