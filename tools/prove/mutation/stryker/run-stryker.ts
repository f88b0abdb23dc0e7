import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StrykerArea } from './areas.ts';
import { type MutationReport, outcomesOf } from './mutants.ts';
import type { KnownMutant } from './known-mutant.ts';
import type { Outcome } from '../report/outcome.ts';

const allSpecs = '**/*.spec.ts';
const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

export interface StrykerRun {
  root: string;
  known: readonly KnownMutant[];
  say(text: string): void;
}

/** Mutates these files of the area, in a copy that Stryker makes. @throws Error when Stryker cannot judge them */
export async function runStryker(
  area: StrykerArea,
  files: readonly string[],
  { root, known, say }: StrykerRun,
): Promise<Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'paycode-stryker-'));
  const report = join(folder, 'report.json');
  try {
    const env = {
      ...process.env,
      MUTATION_PROJECT: area.project,
      MUTATION_SPECS: area.specs ?? allSpecs,
      MUTATION_RUNNER: area.underJest ? 'jest' : 'warm',
      MUTATION_FILES: JSON.stringify(files),
      MUTATION_REPORT: report,
    };
    const args = [
      ...node,
      join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js'),
      'run',
      'tools/prove/mutation/stryker/stryker.config.mjs',
    ];
    const { code, output } = await follow(
      spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] }),
      say,
    );
    if (code !== 0) throw new Error(`Stryker ended with ${code} in ${area.area}:\n${output.slice(-3_000)}`);
    return outcomesOf(JSON.parse(readFileSync(report, 'utf8')) as MutationReport, area.area, known);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Passes its progress on, and keeps what it says for an error. */
function follow(child: ReturnType<typeof spawn>, say: (text: string) => void): Promise<{ code: number | null; output: string }> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const line of text.split('\n')) if (/^Mutation testing/.test(line)) say(`  ${line}`);
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => resolve({ code, output }));
  });
}
