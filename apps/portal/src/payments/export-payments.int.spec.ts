import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import { testDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../migrations';
import { AuditLog } from '../audit';
import { fileFormats } from '../files/file';
import { readWorkbook } from '../files/testing/read-workbook';
import { pageKeyAt } from '../page-cursor';
import { productionPerson } from '../testing/production-person';
import { RunningPortal } from '../testing/running-portal';
import { ExportPaymentsService, exportRowsMax, type WantedFile } from './export-payments.service';
import { payment } from './domain/testing/payment-evidence';
import { PaymentReader } from './payment-reader';
import { namingDirectory, scopeOfMerchants } from './testing/scopes';

const everything: WantedFile = {
  format: 'CSV',
  timeZone: 'UTC',
  search: null,
  outcome: null,
  status: null,
  answer: null,
  amount: null,
  from: null,
  to: null,
  after: null,
};
const person = {
  personId: '00000000-0000-4000-8000-000000000001',
  email: 'p@x.example',
  name: 'Thandi',
  role: 'VIEWER',
  hasTotp: false,
  hasPasskey: false,
  hasPassword: true,
  language: null,
  timeZone: null,
  tenantType: 'MERCHANT',
  tenantId: '7',
} as const;
const asking = { person, origin: { address: '203.0.113.9', userAgent: 'test', requestId: 'r-1' } };

describe('a file of payments', () => {
  const database = testDatabase({ migrations });
  let exporting: ExportPaymentsService;
  beforeAll(async () => {
    // Merchant 7 has more than a file holds, each in turn for 1.00 and 2.00; merchant 8 has one.
    await database.dataSource.query(
      `insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference)
       select i, case i when 1 then 8 else 7 end, 'PURCHASE', 'SUCCESS', 0, timestamptz '2030-01-01' + i / 3 * interval '1 millisecond', 1 + i % 2, 'ZAR', 'order-' || i
         from generate_series(1, $1::int) i`,
      [exportRowsMax + 11],
    );
    await database.dataSource.query('vacuum analyze payment');
    exporting = new ExportPaymentsService(
      new PaymentReader(database.dataSource),
      namingDirectory({ 7: 'Corner Coffee' }),
      new AuditLog(database.dataSource),
    );
  });

  const linesOf = async (wanted: Partial<WantedFile>, merchantId = 7) => {
    const file = await exporting.begin(await scopeOfMerchants(merchantId), { ...everything, ...wanted }, asking);
    const [header, ...lines] = (await text(file)).trimEnd().split('\r\n');
    expect(header).toMatch(/^\uFEFFtransactionId,merchantId,/);
    return lines;
  };
  const idOf = (line: string | undefined) => Number(line!.split(',', 1)[0]);

  it('holds at most 100,000, each once, newest first; the next file goes on where it ended', async () => {
    const lines = await linesOf({});
    const ids = lines.map(idOf);
    expect([ids.length, new Set(ids).size, ids[0], ids.at(-1)]).toEqual([exportRowsMax, exportRowsMax, exportRowsMax + 11, 12]);
    const last = lines.at(-1)!.split(',');
    const rest = await linesOf({ after: pageKeyAt({ transactionId: 12, completedAt: last[3]! }) });
    expect(rest.map(idOf)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  });

  it('as XLSX holds the same payments and amounts as the CSV, in the same order', async () => {
    const first = { to: '2030-01-01T00:00:02.000Z' };
    const wanted: WantedFile = { ...everything, ...first, format: 'XLSX', timeZone: 'Asia/Kathmandu' };
    const { lines } = readWorkbook(await buffer(await exporting.begin(await scopeOfMerchants(7), wanted, asking)));
    const shown = lines.map(line => [line.transactionId!.value, line.amount!.value, line.reference!.value].join());
    const csv = (await linesOf(first)).map(line => line.split(','));
    expect(csv.length).toBeGreaterThan(5_000);
    expect(shown).toEqual(csv.map(cells => [cells[0], cells[7], cells[9]].join()));
    expect(lines.every(({ amount }) => amount!.isNumber && amount!.format === '#,##0.00')).toBe(true);
  });

  it('holds what is looked for and nothing of another merchant (T-24)', async () => {
    const found = await linesOf({ amount: '2', to: '2030-01-01T00:00:00.004Z' });
    expect(found.map(idOf)).toEqual([11, 9, 7, 5, 3]);
    expect((await linesOf({}, 8)).map(idOf)).toEqual([1]);
    expect(await linesOf({ search: 'order-1' })).toEqual([]);
  });

  it('is on record with the name of the person, the format and the filters, not with what was searched for', async () => {
    await linesOf({ outcome: 'PENDING', search: 'order-5' });
    const [row] = await database.dataSource.query<object[]>('select * from audit_event order by audit_event_id desc limit 1');
    expect(row).toMatchObject({
      action: 'PAYMENTS_EXPORTED',
      person_name: 'Thandi',
      merchant_id: '7',
      address: '203.0.113.9',
      detail: { format: 'CSV', outcome: 'PENDING', search: 'yes' },
    });
    expect(JSON.stringify(row)).not.toContain('order-5');
  });

  it('is one at a time for a person, also after a reader that went away', async () => {
    const scope = await scopeOfMerchants(7);
    const first = await exporting.begin(scope, everything, asking);
    await expect(exporting.begin(scope, everything, asking)).rejects.toMatchObject({ status: 429, reason: 'EXPORT_BUSY' });
    const closed = once(first, 'close');
    first.destroy();
    await closed;
    expect((await linesOf({}, 8)).map(idOf)).toEqual([1]);
  });
});

describe('a download of payments', () => {
  let portal: RunningPortal;
  let headers: Record<string, string>;
  beforeAll(async () => {
    portal = await RunningPortal.start({ PAYCODE_ENVIRONMENT: 'production' });
    const { visitor } = await productionPerson(portal, 'Thandi', { tenantType: 'MERCHANT', tenantId: '7', role: 'VIEWER' });
    headers = { cookie: visitor.cookie, 'sec-fetch-site': 'same-origin' };
  });
  afterAll(() => portal.stop());

  it.each(fileFormats)('as %s breaks off when a query fails midway: no file looks complete', async format => {
    const page = Array.from({ length: 1_000 }, () => payment);
    const read = jest.spyOn(PaymentReader.prototype, 'list').mockResolvedValueOnce(page);
    const download = () => fetch(`${portal.publicUrl}/console/api/payments/export?format=${format}`, { headers });
    read.mockRejectedValueOnce(new Error('the database is away'));
    const file = await download();
    expect(file.status).toBe(200);
    await expect(file.arrayBuffer()).rejects.toThrow('terminated');
    read.mockResolvedValueOnce(page).mockResolvedValueOnce([]);
    expect((await (await download()).arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    read.mockRestore();
  });
});
