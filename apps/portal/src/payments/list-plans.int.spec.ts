import { testDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../migrations';
import { pageKeyAt } from '../page-cursor';
import { answers, outcomes } from './domain/payment';
import { listStatement, type PaymentFilter, PaymentReader } from './payment-reader';
import { scopeOfAll, scopeOfMerchants } from './testing/scopes';

const limit = 26;
const merchants = [1, 2, 3, 4];
/** A page of each merchant by each way of a search, some read and passed over on the way. */
const rowsReadMax = limit * merchants.length * 3 * 2;

/** Merchant 1 has four fifths of 20,000 payments, all with one reference and one amount; every seventh is special in some way. */
const fill = `
  insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference, code,
                       acknowledged_at, ack_source, ack_elapsed_ms, reversal_requested_at, reversal_reason)
  select i, case when i % 5 > 0 then 1 else 2 + i / 5 % 3 end, 'PURCHASE', case when i % 7 = 0 then 'BANK_REJECTED' else 'SUCCESS' end, 0,
         timestamptz '2030-01-01' + i * interval '1 second', case when i % 5 > 0 and i % 700 > 0 then 10 else i end, 'ZAR',
         case when i % 5 > 0 then 'till' else 'order-' || i end, case when i % 700 = 0 then 'c' || i end,
         case when i % 7 in (1, 2, 3) then now() end, case when i % 7 in (1, 2) then 'WEBHOOK' when i % 7 = 3 then 'RECOVERY' end, 5,
         case when i % 7 in (4, 5) then now() end,
         case when i % 7 in (4, 5) then (array['NON_200', 'CONNECTION', 'TIMEOUT', 'NEVER_SENT', 'BACKSTOP'])[1 + i / 7 % 5] end
    from generate_series(1, 20000) i`;
/** A night of refunds, in the middle. A search for a whole reference or an amount reads the notices that have it, too: these have their own. */
const fillRefunds = `
  insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference)
  select 20000 + i, 1, 'REFUND', 'REFUNDED', i, timestamptz '2030-01-01' + 10000 * interval '1 second', 3, 'ZAR', 'refund' from generate_series(1, 3000) i`;

const nothing = {
  search: null,
  outcome: null,
  status: null,
  answer: null,
  amount: null,
  from: null,
  to: null,
  hasNotices: false,
};
const middle = pageKeyAt({ completedAt: '2030-01-01T02:46:40.000Z', transactionId: 10_000 });
const wanted: [string, Partial<PaymentFilter>][] = [
  ['everything', {}],
  ['a day', { from: '2030-01-01T01:00:00.000Z', to: '2030-01-01T02:00:00.000Z' }],
  ...outcomes.map((outcome): [string, Partial<PaymentFilter>] => [`outcome ${outcome}`, { outcome }]),
  ...answers.map((answer): [string, Partial<PaymentFilter>] => [`answer ${answer}`, { answer }]),
  ['a common status', { status: 'SUCCESS' }],
  ['a status', { status: 'BANK_REJECTED' }],
  ['a status that nothing has', { status: 'TIMEOUT_NOWHERE' }],
  ['the amount of all', { amount: '10' }],
  ['a rare amount', { amount: '7000' }],
  ['a rare amount of an outcome', { amount: '7000', outcome: 'SETTLED' }],
  ['an outcome of a day', { outcome: 'REVERSED', from: '2030-01-01T01:00:00.000Z', to: '2030-01-01T03:00:00.000Z' }],
  ['an answer of a status', { answer: 'TIMEOUT', status: 'SUCCESS' }],
  ['settled without an acknowledgement', { outcome: 'SETTLED', answer: 'TIMEOUT' }],
  ['the reference of all', { search: { whole: 'till' } }],
  ['one reference', { search: { whole: 'order-10000' } }],
  ['one code', { search: { whole: 'c7000' } }],
  ['one transaction', { search: { whole: '7000' } }],
  ['found by its beginning', { search: { transactionIds: ['7000', '7001', '7002', '7003'] } }],
  ['found by its beginning, of an outcome', { search: { transactionIds: ['7000', '7001', '7002'] }, outcome: 'PENDING' }],
  ['refunded', { outcome: 'REFUNDED' }],
  ['what nobody has', { search: { whole: 'nothing' } }],
];
const pages: [string, Pick<PaymentFilter, 'after' | 'before'>][] = [
  ['the first page', { after: null, before: null }],
  ['a deep page', { after: middle, before: null }],
  ['the page before one', { after: null, before: middle }],
];

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const readBy = (node: Plan) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];

describe('a page of 20,000 payments', () => {
  const database = testDatabase({ migrations });
  beforeAll(async () => {
    await database.dataSource.query(fill);
    await database.dataSource.query(fillRefunds);
    await database.dataSource.query('update payment set refunded_by = transaction_id + 20000 where transaction_id <= 3000');
    await database.dataSource.query('vacuum analyze payment');
  });

  const planOf = async (scope: Parameters<typeof listStatement>[0], filter: PaymentFilter) => {
    const { text, values } = listStatement(scope, filter);
    const explain = `explain (analyze, timing off, format json) ${text}`;
    const [row] = await database.dataSource.query<[{ 'QUERY PLAN': [{ Plan: Plan }] }]>(explain, values);
    return nodesOf(row['QUERY PLAN'][0].Plan);
  };

  const cases = wanted.flatMap(([what, filter]) =>
    pages.map(([page, key]) => [what, page, { ...nothing, ...filter, ...key, limit }] as const),
  );

  it.each(cases)('%s, %s: is read from an index, and no more than some pages of it', async (...row) => {
    const [, , filter] = row;
    for (const scope of [await scopeOfMerchants(1), await scopeOfMerchants(...merchants), await scopeOfAll()]) {
      const nodes = await planOf(scope, filter);
      const onPayments = nodes.filter(node => node['Relation Name'] === 'payment');
      expect(onPayments.map(node => node['Node Type'])).not.toContain('Seq Scan');
      const sorts = nodes.filter(node => /Sort/.test(node['Node Type']));
      const read = [...onPayments, ...sorts].map(readBy);
      expect(Math.max(...read)).toBeLessThanOrEqual(rowsReadMax);
    }
  });

  it('of more merchants than the page has lines, each page shows what follows in time, older and newer, whoever it is of', async () => {
    const reader = new PaymentReader(database.dataSource);
    const scope = await scopeOfMerchants(...merchants, 5, 6);
    const page = (of: Partial<PaymentFilter>) => reader.list(scope, { ...nothing, after: null, before: null, limit: 3, ...of });
    const idsOf = (payments: { transactionId: number }[]) => payments.map(each => each.transactionId);
    for (const filter of [{}, { outcome: 'REVERSED' }, { search: { whole: 'till' } }] as Partial<PaymentFilter>[]) {
      const whole = await page({ ...filter, limit: 12 });
      expect(whole).toHaveLength(12);
      const second = await page({ ...filter, after: pageKeyAt(whole[2]!) });
      expect(idsOf(second)).toEqual(idsOf(whole.slice(3, 6)));
      expect(idsOf(await page({ ...filter, after: pageKeyAt(whole[8]!) }))).toEqual(idsOf(whole.slice(9)));
      expect(idsOf(await page({ ...filter, before: pageKeyAt(whole[6]!) }))).toEqual(idsOf(whole.slice(3, 6)));
    }
  });
});
