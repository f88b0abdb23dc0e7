import { csvHeader, csvLines } from './csv';
import { payment } from './testing/payment-evidence';

const cells = (line: string) => line.replace(/\r\n$/, '').split(',');
const rowOf = (over: Partial<typeof payment>) => {
  const names = cells(csvHeader);
  const values = cells(csvLines([{ ...payment, ...over }]));
  expect(values).toHaveLength(names.length);
  return Object.fromEntries(names.map((name, at) => [name, values[at]]));
};

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
    });
  });

  it.each(['=1+1', '+27', '-2', '@SUM(A1)', '\t=1', '\r=1', '＝1'])('%j is no formula to a spreadsheet', reference => {
    expect(csvLines([{ ...payment, reference }])).toMatch(/,"?'/);
  });

  it('quotes what would end a cell or a line, and keeps what is in it', () => {
    expect(csvLines([{ ...payment, reference: 'a "b", c\nd' }])).toContain(',"a ""b"", c\nd",');
    expect(csvLines([payment, payment]).match(/\r\n/g)).toHaveLength(2);
  });
});
