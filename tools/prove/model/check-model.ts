import { join } from 'node:path';
import { fullRuns, smallRuns } from './model-runs.ts';
import { problemOf } from './pan-report.ts';
import { check, requirePrograms } from './spin.ts';

const model = join(import.meta.dirname, '../../../docs/specification/settlement.pml');

/** Runs the checks and prints each result; `words` may contain `--full`. Returns 0 when all results are as expected. */
export async function checkModel(words: readonly string[]): Promise<number> {
  const runs = words.includes('--full') ? fullRuns : smallRuns;
  await requirePrograms();
  let failures = 0;
  for (const modelRun of runs) {
    const startedAt = performance.now();
    const report = await check(model, modelRun);
    const problem = problemOf(modelRun, report);
    if (problem) failures++;
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const found = report.complaint ? `, found: ${report.complaint}` : '';
    process.stdout.write(`${problem ? 'FAILED' : 'ok    '} ${modelRun.name}: ${modelRun.shows}\n`);
    process.stdout.write(
      `       ${report.states.toLocaleString('en')} states, ${seconds} s${found}${problem ? ` - ${problem}` : ''}\n`,
    );
  }
  process.stdout.write(`${runs.length - failures} of ${runs.length} model runs as they must be\n`);
  return failures === 0 ? 0 : 1;
}
