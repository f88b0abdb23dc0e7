/** `word`: of the platform. `text`: of a shop, a person or a code, and never a number, whatever it looks like. `day`: or a month, as text. */
export type Kind = 'word' | 'text' | 'count' | 'money' | 'instant' | 'day';
export type Value = string | number | null;

/** The columns of a file. Instants are ISO 8601 UTC, amounts have the decimals of their currency; null: not known. */
export type Columns<Row> = readonly (readonly [name: string, kind: Kind, of: (row: Row) => Value])[];

/** Spreadsheets that write 1,50 separate columns by `;`, those that write 1.50 by `,`. */
export const decimalMarks = ['POINT', 'COMMA'] as const;
export type DecimalMark = (typeof decimalMarks)[number];

const separators = { POINT: ',', COMMA: ';' } as const satisfies Record<DecimalMark, string>;

/** Excel takes a file without this mark for one in the code page of its computer. */
export const utf8Mark = '\uFEFF';

/** The first line of a file, RFC 4180 but for what separates the columns. */
export function csvHeader<Row>(columns: Columns<Row>, mark: DecimalMark = 'POINT'): string {
  return `${utf8Mark}${columns.map(([name]) => name).join(separators[mark])}\r\n`;
}

/** Lines as the values are; what is not known is empty. */
export function csvLines<Row>(columns: Columns<Row>, rows: readonly Row[], mark: DecimalMark = 'POINT'): string {
  const line = (row: Row) => columns.map(([, kind, of]) => cellOf(kind, of(row), mark)).join(separators[mark]);
  return rows.map(row => `${line(row)}\r\n`).join('');
}

/** A spreadsheet takes a text that begins so for a formula, quoted or not; references are whatever a shop was given. */
const formula = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/** A spreadsheet takes a text that looks so for a number or a day: 007 becomes 7, 123456789012 becomes 1.23E+11, 1-2 becomes a day. */
const changed = /^0\d|^\d{12}|^\d+(\.\d+)?e[+-]?\d+$|^\d{1,4}[-/]\d{1,2}([-/]\d{1,4})?$/i;
const special = /[",;\r\n\t]|^\s|\s$/;

function cellOf(kind: Kind, value: Value, mark: DecimalMark): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  if (kind === 'money') return mark === 'COMMA' ? value.replace('.', ',') : value;
  return textCell(value, kind === 'text');
}

function textCell(value: string, isOwn: boolean): string {
  // An apostrophe in front keeps it a text.
  const text = formula.test(value) || (isOwn && changed.test(value)) ? `'${value}` : value;
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
