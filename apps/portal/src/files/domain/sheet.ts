import type { Columns, Kind, Value } from './csv';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const inPackage = 'http://schemas.openxmlformats.org/package/2006';
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** An amount has up to this many decimals; ISO 4217 knows at most 4. */
const decimalsMax = 6;
const moneyFormats = Array.from({ length: decimalsMax + 1 }, (_, at) => `#,##0${at === 0 ? '' : `.${'0'.repeat(at)}`}`);
const ownFormats = ['yyyy-mm-dd hh:mm:ss.000', 'yyyy-mm-dd', ...moneyFormats];
/** Numbers below belong to the formats that each program has: 3 is `#,##0`, 49 is text. */
const ownFormatsFrom = 164;
const formatIds = [0, 49, 49, 3, ...ownFormats.map((_, at) => ownFormatsFrom + at)];
/** Places in `formatIds`. */
const style = { header: 1, text: 2, count: 3, instant: 4, day: 5, money: 6 } as const;

const formatted = (id: number, at: number) =>
  `<xf numFmtId="${id}" fontId="${at === style.header ? 1 : 0}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`;
const styles =
  `<styleSheet xmlns="${main}">` +
  `<numFmts count="${ownFormats.length}">${ownFormats.map((code, at) => `<numFmt numFmtId="${ownFormatsFrom + at}" formatCode="${code}"/>`).join('')}</numFmts>` +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>' +
  `<cellXfs count="${formatIds.length}">${formatIds.map(formatted).join('')}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

const relations = (...targets: [type: string, target: string][]) =>
  `<Relationships xmlns="${inPackage}/relationships">${targets
    .map(([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${office}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

export const sheetPath = 'xl/worksheets/sheet1.xml';

/** Parts of a workbook of one sheet, ECMA-376, but for the sheet itself. `title`: without characters that XML or a sheet's name forbids. */
export function workbookParts(title: string): [path: string, xml: string][] {
  const kinds = { '/xl/workbook.xml': 'sheet.main', '/xl/styles.xml': 'styles', [`/${sheetPath}`]: 'worksheet' };
  const overrides = Object.entries(kinds).map(
    ([path, kind]) => `<Override PartName="${path}" ContentType="${contentType}.${kind}+xml"/>`,
  );
  const parts = {
    '[Content_Types].xml':
      `<Types xmlns="${inPackage}/content-types"><Default Extension="xml" ContentType="application/xml"/>` +
      `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${overrides.join('')}</Types>`,
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/_rels/workbook.xml.rels': relations(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml']),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="${title}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/styles.xml': styles,
  };
  return Object.entries(parts).map(([path, xml]) => [path, `${declaration}${xml}`]);
}

const widths = { word: 18, text: 28, count: 10, money: 20, instant: 24, day: 12 } as const satisfies Record<Kind, number>;

/** XML of the sheet, in pieces: `begin`, any number of `rows`, `end`. It knows how many rows there were. */
export class Sheet<Row> {
  private count = 0;
  private readonly serialOf: (instant: string) => number;
  private readonly letters: readonly string[];

  /** `timeZone`: of the instants; the header names it. At most 26 columns. */
  constructor(
    private readonly columns: Columns<Row>,
    private readonly timeZone: string,
  ) {
    this.serialOf = serialIn(timeZone);
    this.letters = columns.map((_, at) => String.fromCharCode(65 + at));
  }

  /** The header is bold and stays in sight. */
  begin(): string {
    const names = this.columns.map(([name, kind]) => (kind === 'instant' ? `${name} (${this.timeZone})` : name));
    const cols = this.columns.map(([, kind], at) => {
      const width = Math.max(widths[kind], names[at]!.length + 2);
      return `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`;
    });
    const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
    const view = `<sheetViews><sheetView tabSelected="1" workbookViewId="0">${pane}</sheetView></sheetViews>`;
    const header = this.row(at => textCell(names[at]!, style.header));
    return `${declaration}<worksheet xmlns="${main}">${view}<cols>${cols.join('')}</cols><sheetData>${header}`;
  }

  rows(rows: readonly Row[]): string {
    return rows.map(row => this.row(at => this.cell(this.columns[at]![1], this.columns[at]![2](row)))).join('');
  }

  /** Programs are told that ids are texts on purpose, else they mark each. */
  end(): string {
    const all = `A1:${this.letters.at(-1)}${this.count}`;
    return `</sheetData><ignoredErrors><ignoredError sqref="${all}" numberStoredAsText="1"/></ignoredErrors></worksheet>`;
  }

  private row(cellAt: (at: number) => string): string {
    const number = ++this.count;
    const cells = this.letters.map((letter, at) => {
      const cell = cellAt(at);
      return cell && `<c r="${letter}${number}" ${cell}</c>`;
    });
    return `<row r="${number}">${cells.join('')}</row>`;
  }

  private cell(kind: Kind, value: Value): string {
    if (value === null) return '';
    const text = String(value);
    if (kind === 'count') return numberCell(text, style.count);
    if (kind === 'money') return moneyCell(text);
    if (kind === 'instant') return numberCell(this.serialOf(text), style.instant);
    if (kind === 'day' && dayForm.test(text)) return numberCell(serialOfUtc(Date.parse(text)), style.day);
    return textCell(text, style.text);
  }
}

const dayForm = /^\d{4}-\d\d-\d\d$/;
const amountForm = /^\d+(?:\.(\d+))?$/;
/** Digits that a double, and each spreadsheet, gives back as they were. */
const exactDigits = 15;

const numberCell = (value: string | number, id: number) => `s="${id}"><v>${value}</v>`;
const textCell = (text: string, id: number) => `s="${id}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is>`;

/** A number with the decimals of its currency. An amount of more than 15 digits is a text: a spreadsheet's double would change it. */
function moneyCell(amount: string): string {
  const decimals = amountForm.exec(amount)?.[1]?.length ?? 0;
  const digits = amount.replace('.', '').replace(/^0+/, '').length;
  const isExact = amountForm.test(amount) && digits <= exactDigits && decimals <= decimalsMax;
  return isExact ? numberCell(amount, style.money + decimals) : textCell(amount, style.text);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** XML forbids most control characters: a workbook writes them as `_x0007_`, and `_` in front of what looks so as `_x005F_`. */
function escaped(text: string): string {
  const hex = (char: string) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  return text.replace(/[&<>\uFFFE\uFFFF]|[^\P{Cc}\t\n]|_(?=x[0-9a-f]{4}_)/giu, char => entities[char] ?? hex(char));
}

const dayMs = 86_400_000;
/** Days from the beginning of a spreadsheet's time to 1970. */
const daysTo1970 = 25_569;
const serialOfUtc = (ms: number) => ms / dayMs + daysTo1970;

/** The time that the clock of a zone shows, as the days that a spreadsheet counts. */
function serialIn(timeZone: string): (instant: string) => number {
  // Swedish writes a time as ISO 8601 does.
  const clock = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return instant => {
    const ms = Date.parse(instant);
    return serialOfUtc(Date.parse(`${clock.format(ms).replace(' ', 'T')}Z`) + (ms % 1_000));
  };
}
