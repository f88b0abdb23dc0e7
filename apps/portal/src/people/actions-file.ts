import type { RecordedAction } from '../audit';
import { type Cell, cellOf, utf8Mark } from '../payments/domain/csv';

const columns: readonly (readonly [name: string, of: (action: RecordedAction) => Cell])[] = [
  ['at', ({ at }) => at],
  ['person', ({ personName }) => ({ text: personName })],
  ['action', ({ action }) => action],
  ['merchantId', ({ merchantId }) => merchantId && { text: merchantId }],
  ['address', ({ address }) => ({ text: address })],
  ['detail', ({ detail }) => ({ text: detailOf(detail) })],
];

function detailOf(detail: Record<string, string>): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
}

/** RFC 4180. Instants are ISO 8601 UTC. Names are what people chose, so a spreadsheet is to take them for texts. */
export function actionsFile(actions: readonly RecordedAction[]): string {
  const rows = [columns.map(([name]) => name), ...actions.map(action => columns.map(([, of]) => cellOf(of(action))))];
  return `${utf8Mark}${rows.map(row => `${row.join(',')}\r\n`).join('')}`;
}
