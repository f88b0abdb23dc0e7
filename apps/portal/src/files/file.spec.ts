import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import type { NamedPayment } from '../payments/domain/payment';
import { paymentColumns } from '../payments/domain/payment';
import { payment as unnamed } from '../payments/domain/testing/payment-evidence';
import { fileOf } from './file';
import { readWorkbook } from './testing/read-workbook';

const payment: NamedPayment = { ...unnamed, merchantName: 'Corner Coffee' };
const shape = { format: 'XLSX', columns: paymentColumns, title: 'Payments', timeZone: 'Africa/Johannesburg' } as const;
const written = async (...payments: Partial<NamedPayment>[]) =>
  readWorkbook(await buffer(fileOf([payments.map(over => ({ ...payment, ...over }))], shape)));
const cellOf = async (over: Partial<NamedPayment>, name: string) => (await written(over)).lines[0]![name];

/** proves: T-25 */
describe('a file of payments for a spreadsheet', () => {
  it('has a header that is bold and stays, and names the time zone of its times', async () => {
    const { header, xml } = await written();
    expect(header.every(({ isBold }) => isBold)).toBe(true);
    expect(header.map(({ value }) => value).slice(0, 4)).toEqual([
      'transactionId',
      'merchantId',
      'kind',
      'completedAt (Africa/Johannesburg)',
    ]);
    expect(xml).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
    expect(xml.match(/<col /g)).toHaveLength(paymentColumns.length);
  });

  it.each([
    ['25.50', 'ZAR', '#,##0.00'],
    ['7', 'JPY', '#,##0'],
    ['0.0001', 'CLF', '#,##0.0000'],
    ['9999999999999.99', 'ZAR', '#,##0.00'],
    ['1.234567', 'ZAR', '#,##0.000000'],
  ])('the amount %s %s is a number with the decimals of its currency', async (amount, currencyCode, format) => {
    expect(await cellOf({ amount, currencyCode }, 'amount')).toEqual({ isNumber: true, value: amount, format, isBold: false });
  });

  it.each(['90071992547409.93', '1234567890123456'])(
    'the amount %s is a text, because a double would change it',
    async amount => {
      expect(await cellOf({ amount }, 'amount')).toMatchObject({ isNumber: false, value: amount });
    },
  );

  it.each(['=1+1', '+27', '-2', '@SUM(A1)', '\t=1', '\r=1', '0012345678', '1e5', '1-2', 'a & <b>', ' x ', '_x0041_', '\u0007'])(
    'the reference %j is the same text, and no formula, number or day',
    async reference => {
      const text = { isNumber: false, value: reference, format: '49' };
      expect(await cellOf({ reference }, 'reference')).toMatchObject(text);
      expect(await cellOf({ merchantName: reference }, 'merchantName')).toMatchObject(text);
    },
  );

  it('ids and codes are texts with their zeros, and what is not known is empty', async () => {
    const { lines } = await written({ transactionId: 9007199254740991, code: '0012345678' });
    expect(lines[0]).toMatchObject({ transactionId: { isNumber: false, value: '9007199254740991' } });
    expect(lines[0]!.code).toMatchObject({ isNumber: false, value: '0012345678' });
    expect(lines[0]!.answer).toBeUndefined();
  });

  it.each([
    ['2030-01-01T10:00:00.250Z', 47_484 + 12 / 24 + 0.25 / 86_400],
    ['2029-12-31T22:00:00.000Z', 47_484],
  ])('the time %s is what a clock of the chosen time zone shows', async (completedAt, serial) => {
    const cell = await cellOf({ completedAt }, 'completedAt (Africa/Johannesburg)');
    expect(cell).toMatchObject({ isNumber: true, format: 'yyyy-mm-dd hh:mm:ss.000' });
    expect(Number(cell!.value)).toBeCloseTo(serial, 9);
  });

  it.each(['CSV', 'XLSX'] as const)(
    'as %s takes no page that nobody reads, and none after its reader went away',
    async format => {
      let taken = 0;
      let hasEnded = false;
      function* pages() {
        try {
          for (; taken < 1_000; taken++) yield Array.from({ length: 1_000 }, () => payment);
        } finally {
          hasEnded = true;
        }
      }
      const file = fileOf(pages(), { ...shape, format });
      for await (const _ of file.iterator({ destroyOnReturn: false })) if (taken > 0) break;
      const closed = once(file, 'close');
      file.destroy();
      await closed;
      expect(taken).toBeLessThan(5);
      expect(hasEnded).toBe(true);
    },
  );
});
