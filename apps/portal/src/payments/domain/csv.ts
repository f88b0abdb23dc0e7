import type { NamedPayment } from './payment';

/** `text`: of a shop or a code, and never a number, whatever it looks like. */
export type Cell = string | number | null | { text: string };

const columns: readonly (readonly [name: string, of: (payment: NamedPayment) => Cell])[] = [
  ['transactionId', payment => payment.transactionId],
  ['merchantId', payment => payment.merchantId],
  ['kind', payment => payment.kind],
  ['completedAt', payment => payment.completedAt],
  ['status', payment => payment.status],
  ['outcome', payment => payment.outcome],
  ['answer', payment => payment.answer],
  ['amount', payment => payment.amount],
  ['currencyCode', payment => payment.currencyCode],
  ['reference', payment => ({ text: payment.reference })],
  ['code', payment => payment.code && { text: payment.code }],
  ['referenceTransactionId', payment => payment.referenceTransactionId || null],
  ['acknowledgedAt', payment => payment.acknowledgedAt],
  ['answerMs', payment => payment.ackElapsedMs],
  ['reversalRequestedAt', payment => payment.reversalRequestedAt],
  ['reversedBy', payment => payment.reversedBy],
  ['merchantName', payment => payment.merchantName && { text: payment.merchantName }],
];

/** Excel takes a file without this mark for one in the code page of its computer. */
export const utf8Mark = '\uFEFF';

/** The first line of a file of payments, RFC 4180. */
export const csvHeader = `${utf8Mark}${columns.map(([name]) => name).join(',')}\r\n`;

/** Lines of payments. Instants are ISO 8601 UTC, amounts have the decimals of their currency; what is not known is empty. */
export function csvLines(payments: readonly NamedPayment[]): string {
  return payments.map(payment => `${columns.map(([, of]) => cellOf(of(payment))).join(',')}\r\n`).join('');
}

/** A spreadsheet takes a text that begins so for a formula, quoted or not; references are whatever a shop was given. */
const formula = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/** A spreadsheet takes a text that looks so for a number or a day: 007 becomes 7, 123456789012 becomes 1.23E+11, 1-2 becomes a day. */
const changed = /^0\d|^\d{12}|^\d+(\.\d+)?e[+-]?\d+$|^\d{1,4}[-/]\d{1,2}([-/]\d{1,4})?$/i;
const special = /[",;\r\n\t]|^\s|\s$/;

/** A field of a line whose columns are separated by a comma or a semicolon. */
export function cellOf(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const isOwnText = typeof value === 'object';
  const given = isOwnText ? value.text : value;
  // An apostrophe in front keeps it a text.
  const text = formula.test(given) || (isOwnText && changed.test(given)) ? `'${given}` : given;
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
