import { testDatabase } from '@paycode/persistence/testing';
import { ManualClock } from '@paycode/service-runtime/timing/testing';
import { migrations } from '../../migrations';
import { OnCallReader } from '../on-call/on-call-reader';
import { namingDirectory, scopeOfAll, scopeOfMerchants } from '../payments/testing/scopes';
import { HomeReader } from './home-reader';
import { ReceiversService } from './receivers.service';

const dayBeganAt = '2026-11-20T00:00:00.000Z';
type Given = [merchantId: number, at: string, fate: 'HTTP_200' | 'TIMEOUT' | 'NON_200', amount: string, currency?: string];

/** proves: T-24 */
describe('servers of merchants that need somebody', () => {
  const database = testDatabase({ migrations });
  let receivers: ReceiversService;
  beforeAll(async () => {
    const clock = new ManualClock(2 * 3_600_000);
    receivers = new ReceiversService(new HomeReader(database.dataSource), namingDirectory({ 1: 'Corner Coffee' }), clock);
  });

  const given = async (payments: Given[]) => {
    await database.dataSource.query('truncate payment');
    for (const [index, [merchantId, at, fate, amount, currency = 'ZAR']] of payments.entries())
      await database.dataSource.query(
        `insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference,
                              acknowledged_at, ack_source, reversal_requested_at, reversal_reason)
         values ($1, $2, 'PURCHASE', 'SUCCESS', 0, $3::timestamptz, $4, $5, 'r', case when $6 = 'HTTP_200' then $3::timestamptz end,
                 case when $6 = 'HTTP_200' then 'WEBHOOK' end, case when $6 <> 'HTTP_200' then $3::timestamptz end,
                 case when $6 <> 'HTTP_200' then $6 end)`,
        [index + 1, merchantId, at, amount, currency, fate],
      );
  };
  const at = (clock: string) => `2026-11-20T${clock}:00.000Z`;

  it('are those that failed today: name, last answer, since when, and the money of each currency', async () => {
    await given([
      [1, at('10:00'), 'HTTP_200', '5.00'],
      [1, at('11:30'), 'NON_200', '10.00'],
      [1, at('11:40'), 'TIMEOUT', '20.50'],
      [1, at('11:50'), 'TIMEOUT', '7', 'JPY'],
      [2, at('11:00'), 'HTTP_200', '99.00'],
    ]);
    expect(await receivers.failing(await scopeOfMerchants(1, 2, 3), dayBeganAt)).toEqual({
      receivers: [
        {
          merchantId: 1,
          merchantName: 'Corner Coffee',
          acknowledged: 1,
          failed: 3,
          lastAnswer: 'TIMEOUT',
          lastAnswerAt: at('11:50'),
          failingSince: at('11:30'),
          money: [
            { currencyCode: 'ZAR', reversed: 2, reversedAmount: '30.50', lastHourAmount: '30.50' },
            { currencyCode: 'JPY', reversed: 1, reversedAmount: '7', lastHourAmount: '7' },
          ],
        },
      ],
      isCut: false,
      merchants: 3,
    });
  });

  it('come in order: first those that fail now, the most money first; one that is well again follows', async () => {
    await given([
      [1, at('08:00'), 'TIMEOUT', '900.00'],
      [1, at('09:00'), 'HTTP_200', '1.00'],
      [2, at('09:00'), 'TIMEOUT', '10.00'],
      [3, at('09:00'), 'TIMEOUT', '200.00'],
    ]);
    const { receivers: ranked } = await receivers.failing(await scopeOfMerchants(1, 2, 3), dayBeganAt);
    expect(ranked.map(each => [each.merchantId, each.failingSince, each.lastAnswer])).toEqual([
      [3, at('09:00'), 'TIMEOUT'],
      [2, at('09:00'), 'TIMEOUT'],
      [1, null, 'HTTP_200'],
    ]);
  });

  it('have failed since their last acknowledgement, however many days ago, and yesterday alone is not today', async () => {
    await given([
      [1, '2026-11-18T10:00:00.000Z', 'TIMEOUT', '1.00'],
      [1, at('09:00'), 'TIMEOUT', '1.00'],
      [2, '2026-11-19T10:00:00.000Z', 'TIMEOUT', '1.00'],
    ]);
    const { receivers: ranked } = await receivers.failing(await scopeOfMerchants(1, 2), dayBeganAt);
    expect(ranked.map(each => [each.merchantId, each.failingSince])).toEqual([[1, '2026-11-18T10:00:00.000Z']]);
  });

  it('are those of the own merchants only; people of the platform see all (T-24)', async () => {
    await given([
      [1, at('09:00'), 'TIMEOUT', '1.00'],
      [9, at('09:00'), 'TIMEOUT', '1.00'],
    ]);
    const idsIn = async (scope: Parameters<ReceiversService['failing']>[0]) =>
      (await receivers.failing(scope, dayBeganAt)).receivers.map(each => each.merchantId);
    expect(await idsIn(await scopeOfMerchants(1, 2))).toEqual([1]);
    expect(await idsIn(await scopeOfAll())).toEqual([1, 9]);
  });

  it('have people of the merchant: who may sign in and who is invited, counted, and none of another merchant (T-24)', async () => {
    await database.dataSource.query(`
      insert into person (email, name, tenant_type, tenant_id, role, accepted_at)
      select 'p' || i || '@shop.example', 'P', 'MERCHANT', (1 + i / 4)::text, case when i % 4 = 0 then 'OWNER' else 'VIEWER' end,
             case when i % 4 < 2 then now() end from generate_series(0, 7) i`);
    const scope = await scopeOfMerchants(1, 3);
    expect(await receivers.people(scope, 1)).toEqual({ owners: 1, others: 1, invited: 2 });
    expect(() => receivers.people(scope, 2)).toThrow('not yours');
  });

  it('regression: people on call see one whose only reversal failed, so that nothing was reversed', async () => {
    await given([[1, at('10:00'), 'NON_200', '10.00']]);
    await database.dataSource.query('update payment set reversal_failed_by = 9');
    expect(await new OnCallReader(database.dataSource).failing(dayBeganAt, 5)).toMatchObject([{ failed: 0, lastFailedAt: null }]);
  });
});
