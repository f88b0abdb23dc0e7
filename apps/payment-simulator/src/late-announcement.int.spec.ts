import type { PortalSandboxCode, PortalSandboxTransaction } from '@paycode/dto';
import { eventually } from '@paycode/service-runtime/testing';
import { SimulatorUnderTest } from './testing/simulator-under-test';

describe('a payment core that is slow, rehearsed', () => {
  const simulator = SimulatorUnderTest.ofSpec();
  simulator.config.merchant(1001);

  const ask = async <T>(operation: 'make-code' | 'pay' | 'follow', wish: object): Promise<T> => {
    const { answer } = await simulator.portal<T>(operation, wish);
    if (!answer.ok) throw new Error(answer.message);
    return answer.value;
  };
  const newCode = async (merchantReference: string) =>
    (await ask<PortalSandboxCode>('make-code', { merchantReference, amount: '110.10', currencyCode: 'ZAR' })).code;

  it('announces a payment late, as it was when it was paid, and its reversal before it; both once (P-I10)', async () => {
    const code = await newCode('late-1');
    const paid = await ask<PortalSandboxTransaction>('pay', { code, txState: 'SUCCESS', announcedAfterS: 3 });
    const reversed = await ask<PortalSandboxTransaction>('follow', { code, followUp: 'REVERSAL' });
    await eventually(async () => expect(await simulator.terminals()).toHaveLength(2));
    const next = await ask<PortalSandboxTransaction>('pay', { code: await newCode('late-2'), txState: 'END_FAILED' });
    await eventually(async () =>
      expect((await simulator.terminals()).map(({ transactionId, txState }) => [transactionId, txState])).toEqual([
        [reversed.transactionId, 'END_REVERSED'],
        [paid.transactionId, 'SUCCESS'],
        [next.transactionId, 'END_FAILED'],
      ]),
    );
  });

  it('a delay of null is none', async () => {
    const paid = await ask<PortalSandboxTransaction>('pay', {
      code: await newCode('prompt'),
      txState: 'SUCCESS',
      announcedAfterS: null,
    });
    await eventually(async () =>
      expect((await simulator.terminals()).map(({ transactionId }) => transactionId)).toContain(paid.transactionId),
    );
  });

  it.each([61, -1, 1.5, '5'])('refuses to be late by %p seconds', async announcedAfterS => {
    const { status, answer } = await simulator.portal('pay', { code: '0123456789', txState: 'SUCCESS', announcedAfterS });
    expect([status, answer]).toMatchObject([400, { errors: [{ field: 'announcedAfterS' }] }]);
  });
});
