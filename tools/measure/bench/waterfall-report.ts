import { unknown } from './attribute-profile.ts';
import { type Waterfall, type WaterfallScale } from './deliver-waterfall.ts';
import { machineFacts, print, printTable, show, writeJson } from './report.ts';
import { spreadOf } from './statistics.ts';
import { perPayment, type Row, type Times, totalOf } from './waterfall.ts';
import { stages, stageOfStatement } from './waterfall-stages.ts';

/** The command fails below it: a table that leaves more out says nothing. */
const attributedMin = 0.9;
const unknownsShown = 8;
const statementChars = 110;

interface Summary {
  load: string;
  payments: number;
  rows: Record<string, Record<string, number>>;
  totalUs: number;
  attributed: number;
  instrumentedUs: number[];
  p50Ms: number[];
  p99Ms: number[];
}

/** Prints tables and audit, and writes the JSON file. True when the audits found nothing and the stages hold enough of the total. */
export function reportWaterfall(waterfalls: readonly Waterfall[], scale: WaterfallScale): boolean {
  const summaries = waterfalls.map(printOne);
  const deviations = waterfalls.flatMap(each => each.deviations);
  for (const deviation of deviations) print(`AUDIT ${deviation}`);
  if (deviations.length === 0) print('audit: every payment has exactly one POST, one verdict and one decision');
  const statements = waterfalls.map(({ load, statements: used }) => ({ load, statements: used }));
  print(writeJson('waterfall', { machine: machineFacts(), scale, waterfalls: summaries, statements, deviations }));
  return deviations.length === 0 && summaries.every(({ attributed }) => attributed >= attributedMin);
}

function printOne(waterfall: Waterfall): Summary {
  const { load, payments, instrumentedUs, p50Ms, p99Ms } = waterfall;
  const columns = Object.entries(waterfall.times).map(([name, times]) => [name, perPayment(times, payments)] as const);
  const totalUs = waterfall.totalUs.reduce((sum, us) => sum + us, 0) / waterfall.totalUs.length;
  const known = columns.reduce((sum, [, times]) => sum + totalOf(times) - (times.get(unknown) ?? 0), 0);
  const rows = ([...stages, unknown] as Row[]).filter(row => columns.some(([, times]) => (times.get(row) ?? 0) > 0));
  printTable(
    [`CPU us/payment, ${load}`, ...columns.map(([name]) => name), 'all', '%'],
    [...rows.map(row => cellsOf(row, columns, totalUs)), sumOf(columns, totalUs)],
  );
  const attributed = known / totalUs;
  print(
    `${load}: ${(attributed * 100).toFixed(1)} % of ${totalUs.toFixed(0)} us are attributed (at least ${attributedMin * 100} %)`,
  );
  print(`by round: ${show(spreadOf(waterfall.totalUs), 0)} us; with the instruments ${show(spreadOf(instrumentedUs), 0)} us`);
  if (p50Ms.length > 0) print(`due to POST without them: p50 ${show(spreadOf(p50Ms), 1)}, p99 ${show(spreadOf(p99Ms), 1)} ms`);
  printUnknown(waterfall);
  const parts = Object.fromEntries(rows.map(row => [row, partsOf(row, columns)]));
  return { load, payments, totalUs, attributed, instrumentedUs, p50Ms, p99Ms, rows: parts };
}

type Columns = readonly (readonly [name: string, times: Times])[];

function partsOf(row: Row, columns: Columns): Record<string, number> {
  return Object.fromEntries(columns.map(([name, times]) => [name, times.get(row) ?? 0]));
}

function cellsOf(row: Row, columns: Columns, totalUs: number): string[] {
  const each = columns.map(([, times]) => times.get(row) ?? 0);
  const all = each.reduce((sum, us) => sum + us, 0);
  return [row, ...each.map(us => (us >= 0.05 ? us.toFixed(1) : '')), all.toFixed(1), ((all * 100) / totalUs).toFixed(1)];
}

function sumOf(columns: Columns, totalUs: number): string[] {
  const each = columns.map(([, times]) => totalOf(times));
  const all = each.reduce((sum, us) => sum + us, 0);
  return ['sum of the rows', ...each.map(us => us.toFixed(1)), all.toFixed(1), ((all * 100) / totalUs).toFixed(1)];
}

/** Prints statements and functions without a rule: a new one needs a line in waterfall-stages.ts. */
function printUnknown({ statements, unknownStacks }: Waterfall): void {
  const unplaced = statements.filter(({ database, text }) => database !== 'postgres' && !stageOfStatement(text));
  const texts = [...new Set(unplaced.map(({ text }) => text.replaceAll(/\s+/g, ' ').slice(0, statementChars)))];
  for (const text of texts.slice(0, unknownsShown)) print(`not attributed, statement: ${text}`);
  for (const stack of unknownStacks.slice(0, unknownsShown)) print(`not attributed, function: ${stack}`);
  print();
}
