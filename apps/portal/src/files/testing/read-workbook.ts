import { strFromU8, unzipSync } from 'fflate';

export interface ReadCell {
  isNumber: boolean;
  /** As it stands in the file. */
  value: string;
  format: string;
  isBold: boolean;
}

const all = (xml: string, form: RegExp) => [...xml.matchAll(form)].map(([, ...groups]) => groups.map(group => group ?? ''));
const decoded = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/_x([0-9A-F]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));

/** The lines of a workbook with one sheet, each by the names in its header; a cell that is not there is undefined. */
export function readWorkbook(bytes: Uint8Array): {
  header: ReadCell[];
  lines: Record<string, ReadCell | undefined>[];
  xml: string;
} {
  const parts = unzipSync(bytes);
  const [styles, xml] = ['xl/styles.xml', 'xl/worksheets/sheet1.xml'].map(path => strFromU8(parts[path]!)) as [string, string];
  const formats = new Map(all(styles, /numFmtId="(\d+)" formatCode="([^"]*)"/g) as [string, string][]);
  const looks = all(styles.slice(styles.indexOf('<cellXfs')), /<xf numFmtId="(\d+)" fontId="(\d+)"/g) as [string, string][];
  const cells = (row: string) =>
    all(row, /<c r="([A-Z])\d+" s="(\d+)"(?: t="(inlineStr)")?>(?:<v>|<is><t[^>]*>)([^<]*)/g).map(
      ([column, style, type, value]) => {
        const [format, font] = looks[Number(style)]!;
        const cell = {
          isNumber: type === '',
          value: decoded(value!),
          format: formats.get(format) ?? format,
          isBold: font === '1',
        };
        return [column!, cell] as const;
      },
    );
  const [header = [], ...rows] = all(xml, /<row r="\d+">(.*?)<\/row>/gs).map(([row]) => cells(row!));
  const names = new Map(header.map(([column, { value }]) => [column, value]));
  const lines = rows.map(row => Object.fromEntries(row.map(([column, cell]) => [names.get(column)!, cell])));
  return { header: header.map(([, cell]) => cell), lines, xml };
}
