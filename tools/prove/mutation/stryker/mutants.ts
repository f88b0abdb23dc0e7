import { isEndedByClock, type KnownReason, type Outcome } from '../report/outcome.ts';
import type { KnownMutant } from './known-mutant.ts';

/** The parts of Stryker's JSON report (mutation-testing-report-schema) that are read. */
export interface MutationReport {
  files: Record<string, { source: string; mutants: Mutant[] }>;
}

interface Mutant {
  mutatorName: string;
  replacement?: string;
  status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored' | 'CompileError' | 'RuntimeError' | 'Pending';
  statusReason?: string;
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
  killedBy?: string[];
}

/** A mutant as the list of known ones names it. */
interface Place {
  file: string;
  line: string;
  change: string;
}

/** Outcomes of every mutant but those that were left out on purpose (Ignored). */
export function outcomesOf(report: MutationReport, area: string, known: readonly KnownMutant[]): Outcome[] {
  const judged = Object.entries(report.files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants
      .filter(({ status }) => status !== 'Ignored')
      .map(mutant => ({
        mutant,
        place: { file, line: lines[mutant.location.start.line - 1]!.trim(), change: changeOf(lines, mutant) },
      }));
  });
  const reasonOf = knownReasons(known, judged);
  return judged.map(({ mutant, place }) => {
    const reason = reasonOf(place);
    return {
      area,
      fault: `${place.file}:${mutant.location.start.line}:${mutant.location.start.column} ${place.change}`,
      result: resultOf(mutant),
      detail: detailOf(mutant, place.line),
      ...(reason ? { known: reason } : {}),
    };
  });
}

/** Loops are stopped by counting; only that shows that a mutant never ends. The clock shows as well that the machine was busy. */
const isEndless = ({ status, statusReason }: Mutant): boolean =>
  status === 'Timeout' && /^Hit limit reached/.test(statusReason ?? '');

function resultOf(mutant: Mutant): Outcome['result'] {
  const { status, statusReason = '' } = mutant;
  if (isEndless(mutant) || (status === 'Killed' && !isEndedByClock(statusReason))) return 'CAUGHT';
  return status === 'Survived' || status === 'NoCoverage' ? 'SURVIVED' : 'NOT_JUDGED';
}

function detailOf({ status, statusReason }: Mutant, line: string): string {
  if (status === 'Survived') return `every test that runs it stays green: ${line}`;
  if (status === 'NoCoverage') return `no unit spec runs it: ${line}`;
  return (statusReason ?? (status === 'Timeout' ? 'its specs did not end in time' : status)).split('\n', 1)[0]!;
}

/** The old code and its replacement. The old code is needed, because of a line's two comparisons either may become `false`. */
function changeOf(lines: readonly string[], { mutatorName, replacement = '', location: { start, end } }: Mutant): string {
  const rows = lines.slice(start.line - 1, end.line);
  rows.push(rows.pop()!.slice(0, end.column - 1));
  rows[0] = rows[0]!.slice(start.column - 1);
  return `${mutatorName}: ${oneLine(rows.join(' '))} => ${oneLine(replacement)}`;
}

/** One of the list that fits two mutants says of neither why it survives. */
function knownReasons(
  known: readonly KnownMutant[],
  judged: readonly { place: Place }[],
): (place: Place) => KnownReason | undefined {
  const keyOf = ({ file, line, change }: Place): string => [file, line, change].join('\n');
  const mutants = Map.groupBy(judged, ({ place }) => keyOf(place));
  const reasons = new Map(
    known.flatMap(({ file, line, changes, kind, why }) => changes.map(change => [keyOf({ file, line, change }), { kind, why }])),
  );
  return place => (mutants.get(keyOf(place))!.length === 1 ? reasons.get(keyOf(place)) : undefined);
}

/** Code on one line, as the list of known ones writes it. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 80).trim();
}
