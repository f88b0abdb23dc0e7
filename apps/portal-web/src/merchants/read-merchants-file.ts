import { asIs, t } from '../language/language';

export interface FileRow {
  /** In the file, from 1. */
  line: number;
  merchantId: number;
  name: string;
  /** Empty: stays as it is. */
  url: string;
  recipients: { type: 'EMAIL' | 'SMS'; value: string }[];
  /** Each names the field and the rule. */
  problems: string[];
}

export const fileBytesMax = 1_000_000;
export const fileRowsMax = 1_000;
/** Most recipients of one merchant. */
const recipientsMax = 20;
const names = ['merchantId', 'name', 'url', 'recipients'] as const;
type Name = (typeof names)[number];

/** Lines of a file of merchants, its columns separated by comma or semicolon, as the first line has them. `problem`: it is no such file. */
export function readMerchantsFile(text: string): { rows: FileRow[] } | { problem: string } {
  const first = text.split(/\r?\n/, 1)[0]!;
  const [header = { cells: [] }, ...lines] = readCsv(text.replace(/^\uFEFF/, ''), first.includes(';') ? ';' : ',');
  const columns = header.cells.map(cell => cell.trim());
  const isKnown = columns.every(column => (names as readonly string[]).includes(column));
  if (!columns.includes('merchantId') || !isKnown || new Set(columns).size < columns.length)
    return { problem: t('The first line must name the columns: merchantId, and any of name, url, recipients, each once.') };
  if (lines.length === 0) return { problem: t('The file has no merchant below its first line.') };
  if (lines.length > fileRowsMax)
    return {
      problem: t('The file has {rows} merchants, and {most} are the most: split it.', {
        rows: asIs(lines.length),
        most: asIs(fileRowsMax),
      }),
    };
  const seen = new Map<string, number>();
  return { rows: lines.map(({ line, cells }) => rowOf(line, { columns, cells }, seen)) };
}

function rowOf(line: number, { columns, cells }: { columns: string[]; cells: string[] }, seen: Map<string, number>): FileRow {
  const cell = (name: Name) => cells[columns.indexOf(name)]?.trim() ?? '';
  const [id, url] = [cell('merchantId'), cell('url')];
  const recipients = cell('recipients')
    .split(/[\s;|]+/)
    .filter(value => value !== '')
    .map(value => ({ type: value.includes('@') ? ('EMAIL' as const) : ('SMS' as const), value }));
  const rules: [isBroken: boolean, problem: string][] = [
    [
      cells.length !== columns.length,
      t('The line must have {columns} columns, and has {cells}.', { columns: columns.length, cells: cells.length }),
    ],
    [
      !/^[1-9]\d{0,15}$/.test(id) || !Number.isSafeInteger(Number(id)),
      t('merchantId must have digits only, and not begin with 0.'),
    ],
    [
      seen.has(id),
      t('merchantId must stand in the file once, and stands in line {line} too.', { line: asIs(seen.get(id) ?? 0) }),
    ],
    [url !== '' && !isUrl(url), t('url must be an address that begins with https://, of at most 2048 characters.')],
    [url === '' && recipients.length === 0, t('url or recipients must be given.')],
    [recipients.length > recipientsMax, t('recipients must be at most {most}.', { most: recipientsMax })],
    ...recipients.map(({ type, value }): [boolean, string] => [
      !isRecipient[type](value),
      t('recipients: {value} must be an e-mail address, or a telephone number such as +27820000001.', { value }),
    ]),
  ];
  if (!seen.has(id)) seen.set(id, line);
  const problems = rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem);
  return { line, merchantId: Number(id), name: cell('name'), url, recipients, problems };
}

/** The portal has the last word; this is what a person can see at once. */
const isRecipient = {
  EMAIL: (value: string) => value.length <= 254 && /^[!-?A-~]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(value),
  SMS: (value: string) => /^\+?[1-9]\d{6,14}$/.test(value),
};

function isUrl(text: string): boolean {
  // The sandbox on one machine takes http too; the portal refuses it elsewhere.
  return text.length <= 2_048 && /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** RFC 4180, also with line ends of one character; lines that are blank are left out. */
export function readCsv(text: string, separator: string): { line: number; cells: string[] }[] {
  // A field in quotes, in which two quotes are one, or a field without; then what ends it.
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator}|\\r?\\n|\\r|$)`, 'y');
  const rows: { line: number; cells: string[] }[] = [];
  let [line, cells]: [number, string[]] = [1, []];
  let begin = 1;
  while (field.lastIndex < text.length || cells.length > 0) {
    // A field without quotes takes anything up to what ends it, so that there is always one.
    const [all, quoted, plain, end] = field.exec(text)!;
    cells.push(quoted?.replaceAll('""', '"') ?? plain!);
    line += all.match(/\r?\n|\r/g)?.length ?? 0;
    if (end === separator) continue;
    if (cells.some(cell => cell.trim() !== '')) rows.push({ line: begin, cells });
    [cells, begin] = [[], line];
  }
  return rows;
}
