import type { KnownReason, Outcome } from '../report/outcome.ts';
import type { KnownMutant } from './known-mutants.ts';

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

/** Outcomes of every mutant but those that were left out on purpose (Ignored). */
export function outcomesOf(report: MutationReport, area: string, known: readonly KnownMutant[]): Outcome[] {
  return Object.entries(report.files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants
      .filter(({ status }) => status !== 'Ignored')
      .map(mutant => {
        const line = lines[mutant.location.start.line - 1]!.trim();
        const change = `${mutant.mutatorName}: ${oneLine(mutant.replacement ?? '')}`;
        return {
          area,
          fault: `${file}:${mutant.location.start.line}:${mutant.location.start.column} ${change}`,
          result: resultOf(mutant),
          detail: detailOf(mutant, line),
          ...knownOf(known, { file, line, change }),
        };
      });
  });
}

function resultOf({ status }: Mutant): Outcome['result'] {
  // A mutant that never ends is noticed by whoever waits.
  if (status === 'Killed' || status === 'Timeout') return 'CAUGHT';
  return status === 'Survived' || status === 'NoCoverage' ? 'SURVIVED' : 'NOT_JUDGED';
}

function detailOf({ status, statusReason = '' }: Mutant, line: string): string {
  if (status === 'Survived') return `every test that runs it stays green: ${line}`;
  if (status === 'NoCoverage') return `no unit spec runs it: ${line}`;
  return statusReason.split('\n', 1)[0]!;
}

function knownOf(known: readonly KnownMutant[], mutant: { file: string; line: string; change: string }): { known?: KnownReason } {
  const found = known.find(
    ({ file, line, changes }) => file === mutant.file && line === mutant.line && changes.includes(mutant.change),
  );
  return found ? { known: { kind: found.kind, why: found.why } } : {};
}

/** A mutant's code on one line, as the list of known ones writes it. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 80).trim();
}
