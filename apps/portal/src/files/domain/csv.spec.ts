import { actionColumns } from '../../audit';
import { type NamedPayment, paymentColumns } from '../../payments/domain/payment';
import { payment as unnamed } from '../../payments/domain/testing/payment-evidence';
import { csvHeader, csvLines, utf8Mark } from './csv';

const payment = { ...unnamed, merchantName: 'Corner Coffee' };

const header = csvHeader(paymentColumns);
const linesOf = (...payments: NamedPayment[]) => csvLines(paymentColumns, payments);
const cells = (line: string) => line.replace(/\r\n$/, '').split(',');
const rowOf = (over: Partial<typeof payment>) => {
  const names = cells(header.slice(utf8Mark.length));
  expect(header.startsWith(utf8Mark)).toBe(true);
  const values = cells(linesOf({ ...payment, ...over }));
  expect(values).toHaveLength(names.length);
  return Object.fromEntries(names.map((name, at) => [name, values[at]]));
};

/** proves: T-25 */
describe('a line of the file of payments', () => {
  it('has exact decimals, instants in UTC, and nothing where nothing is known', () => {
    expect(rowOf({ amount: '90071992547409.931', ackElapsedMs: 12, answer: 'HTTP_200' })).toEqual({
      transactionId: '1',
      merchantId: '7',
      kind: 'PURCHASE',
      completedAt: '2030-01-01T10:00:00.000Z',
      status: 'SUCCESS',
      outcome: 'PENDING',
      answer: 'HTTP_200',
      amount: '90071992547409.931',
      currencyCode: 'ZAR',
      reference: 'order-1',
      code: '',
      referenceTransactionId: '',
      acknowledgedAt: '',
      answerMs: '12',
      reversalRequestedAt: '',
      reversedBy: '',
      merchantName: 'Corner Coffee',
    });
  });

  it.each(['=1+1', '+27', '-2', '@SUM(A1)', '\t=1', '\r=1', '＝1'])('%j is no formula to a spreadsheet', reference => {
    expect(linesOf({ ...payment, reference })).toMatch(/,"?'/);
  });

  it.each(['0012345678', '007', '123456789012', '1e5', '12E3', '1-2', '3/4', '2030-01-02'])(
    'regression: a reference %j stays as it is in a spreadsheet, and is no number or day',
    reference => {
      expect(rowOf({ reference }).reference).toBe(`'${reference}`);
    },
  );

  it('regression: the zeros in front of a code stay in a spreadsheet', () => {
    expect(rowOf({ code: '0012345678' }).code).toBe("'0012345678");
    expect(rowOf({ code: '1012345678' }).code).toBe('1012345678');
  });

  it.each(['order-1', '12345678901', '1.5', '0', 'a-1', '2030-1-2-3'])('a reference %j is written as it is', reference => {
    expect(rowOf({ reference }).reference).toBe(reference);
  });

  it('quotes what would end a cell or a line, and keeps what is in it', () => {
    expect(linesOf({ ...payment, reference: 'a "b", c\nd' })).toContain(',"a ""b"", c\nd",');
    expect(linesOf(payment, payment).match(/\r\n/g)).toHaveLength(2);
  });
});

it('a name or a detail that looks like a formula is a text in a spreadsheet, whatever its person chose (T-25)', () => {
  const action = { auditEventId: '1', at: '2030-01-01T10:00:00.000Z', action: 'PERSON_INVITED', merchantId: '0071' };
  const file = csvLines(actionColumns, [{ ...action, personName: '-Sipho', address: '+1', detail: { name: '=1+1, "x"' } }]);
  expect(file.split('\r\n')[0]).toBe(`2030-01-01T10:00:00.000Z,'-Sipho,PERSON_INVITED,'0071,'+1,"name: =1+1, ""x"""`);
});
