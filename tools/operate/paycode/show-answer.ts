/** An answer for people: one line per field, nested fields indented, lists as tables. */
export function showAnswer(answer: unknown): string {
  if (answer === undefined || answer === '') return 'done';
  if (Array.isArray(answer)) return answer.length === 0 ? 'none' : table(answer);
  return typeof answer === 'object' && answer !== null ? fields(answer as Row, '') : text(answer);
}

type Row = Record<string, unknown>;

function fields(row: Row, indent: string): string {
  const width = Math.max(...Object.keys(row).map(name => name.length), 0);
  return Object.entries(row)
    .map(([name, value]) => {
      const label = `${indent}${name.padEnd(width)}  `;
      if (Array.isArray(value) && value.some(isRow)) return `${label}\n${table(value, `${indent}  `)}`;
      return isRow(value) ? `${label}\n${fields(value, `${indent}  `)}` : label + text(value);
    })
    .join('\n');
}

function table(values: readonly unknown[], indent = ''): string {
  if (!values.every(isRow)) return values.map(value => indent + text(value)).join('\n');
  const rows: readonly Row[] = values;
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))];
  const cells = [names, ...rows.map(row => names.map(name => text(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map(line => line[column]!.length)));
  return cells
    .map(
      line =>
        indent +
        line
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd(),
    )
    .join('\n');
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(text).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}
