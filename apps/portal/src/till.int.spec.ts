import { testDatabase } from '@paycode/persistence/testing';
import { migrations } from '../migrations';
import type { PaymentCalls } from './payments/payment-calls';
import type { Person } from './people/domain/person';
import { TillService } from './till/till.service';
import { TillStore } from './till/till.store';

const person: Person = {
  personId: 'p',
  email: 'p@shop.example',
  name: 'Thandi',
  tenantType: 'MERCHANT',
  tenantId: '7',
  role: 'VIEWER',
  hasTotp: false,
  hasPasskey: false,
  hasPassword: true,
  language: null,
  timeZone: null,
};

/** proves: T-24, A-09 */
describe('what became of a code at the till', () => {
  const database = testDatabase({ migrations });
  let verdict: (transactionId: number) => Promise<unknown>;
  beforeAll(async () => {
    await database.dataSource.query(`
      insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference, code,
                           acknowledged_at, ack_source, reversal_requested_at, reversal_reason)
      select id, merchant, kind, status, 0, timestamptz '2030-01-01' + id * interval '1 second', 42.5, 'ZAR', 'order-' || id, code,
             case when fate = 'ACKED' then now() end, case when fate = 'ACKED' then 'WEBHOOK' end,
             case when fate = 'GIVEN BACK' then now() end, case when fate = 'GIVEN BACK' then 'TIMEOUT' end
        from (values (1, 7, 'PURCHASE', 'BANK_REJECTED', '0000000001', ''), (2, 7, 'PURCHASE', 'SUCCESS', '0000000001', 'ACKED'),
                     (3, 7, 'REFUND', 'REFUNDED', '0000000001', ''), (4, 7, 'PURCHASE', 'SUCCESS', '0000000002', 'GIVEN BACK'),
                     (5, 7, 'PURCHASE', 'SUCCESS', '0000000003', ''), (6, 8, 'PURCHASE', 'SUCCESS', '0000000004', 'ACKED'))
          as given (id, merchant, kind, status, code, fate)`);
    await database.dataSource.query(`
      insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference, code)
      select 100 + i, 7, 'PURCHASE', 'SUCCESS', 0, timestamptz '2030-01-02' + i * interval '1 second', 1, 'JPY', 'poster', '0000000005'
        from generate_series(1, 20) i`);
  });
  beforeEach(() => (verdict = () => Promise.resolve({ verdict: null })));

  const statesOf = async (code: string, of: Partial<Person> = {}) => {
    const calls = { delivery: (id: number) => verdict(id) } as unknown as PaymentCalls;
    const log = { warn: () => undefined } as unknown as ConstructorParameters<typeof TillService>[2];
    const till = new TillService(new TillStore(database.dataSource), calls, log);
    const { payments } = await till.paymentsOf(code, { ...person, ...of });
    return payments.map(({ transactionId, state }) => `${transactionId} ${state}`);
  };

  it('a declined payment has failed; the next one, which the server acknowledged, is paid', async () => {
    expect(await statesOf('0000000001')).toEqual(['2 PAID', '1 FAILED']);
  });

  it('a payment that is given back is not paid', async () => {
    expect(await statesOf('0000000002')).toEqual(['4 REVERSED']);
  });

  it('a payment that the server has not acknowledged yet lets no goods go, also while the dispatcher is silent', async () => {
    expect(await statesOf('0000000003')).toEqual(['5 CONFIRMING']);
    verdict = () => Promise.reject(new Error('silent'));
    expect(await statesOf('0000000003')).toEqual(['5 CONFIRMING']);
  });

  it('a payment of a merchant without a notification URL is paid at once', async () => {
    verdict = () => Promise.resolve({ verdict: { kind: 'NOT_APPLICABLE' } });
    expect(await statesOf('0000000003')).toEqual(['5 PAID']);
  });

  it('a code that many pay shows the five latest payments', async () => {
    expect((await statesOf('0000000005')).map(text => text.split(' ')[0])).toEqual(['120', '119', '118', '117', '116']);
  });

  it('a code of another merchant and one of nobody have none, a text that is no code is refused; people of a PSP, acquirer or operator have no till', async () => {
    expect([await statesOf('0000000004'), await statesOf('9999999999')]).toEqual([[], []]);
    for (const tenantType of ['PSP', 'ACQUIRER', 'OPERATOR'] as const)
      await expect(statesOf('0000000001', { tenantType })).rejects.toMatchObject({ status: 404 });
    await expect(statesOf('12\0')).rejects.toMatchObject({ status: 404 });
  });
});
