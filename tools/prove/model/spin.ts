import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fullRuns, type ModelRun, smallRuns } from './model-runs.ts';

const run = promisify(execFile);
const outputBytesMax = 16_777_216;
/** Of one run: memory of the search, and time. */
const limits = { memoryMb: 4_096, timeoutMs: 600_000 };

/** Spin or a C compiler is missing. */
export class MissingProgramError extends Error {
  override readonly name = 'MissingProgramError';
  constructor(program: string) {
    super(`${program} is not installed. The model checker needs both: apt-get install spin gcc`);
  }
}

/** Fails with how to install what is missing. */
async function requirePrograms(): Promise<void> {
  for (const [program, flag] of [
    ['spin', '-V'],
    ['gcc', '--version'],
  ] as const) {
    try {
      await run(program, [flag]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new MissingProgramError(program);
      throw error;
    }
  }
}

/** Generates, compiles and runs the checker in a folder of its own. */
async function check(model: string, modelRun: ModelRun): Promise<PanReport> {
  const folder = await mkdtemp(join(tmpdir(), 'paycode-model-'));
  try {
    copyFileSync(model, join(folder, 'model.pml'));
    const options = { cwd: folder, maxBuffer: outputBytesMax };
    await run('spin', [...modelRun.defines, '-a', 'model.pml'], options);
    await run('gcc', ['-w', '-O2', `-DMEMLIM=${limits.memoryMb}`, ...compilerFlags(modelRun), '-o', 'pan', 'pan.c'], options);
    return readPanReport(await search(folder, modelRun));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function compilerFlags({ property }: ModelRun): string[] {
  if (property === 'safety') return ['-DSAFETY', '-DNOCLAIM', '-DCOLLAPSE'];
  return property === 'ends' ? ['-DCOLLAPSE', '-DNFAIR=3'] : ['-DCOLLAPSE'];
}

async function search(folder: string, { property }: ModelRun): Promise<string> {
  const claim = property === 'safety' ? [] : ['-a', ...(property === 'ends' ? ['-f'] : []), '-N', property];
  const options = { cwd: folder, maxBuffer: outputBytesMax, timeout: limits.timeoutMs };
  try {
    return (await run('./pan', ['-m1000000', '-w24', ...claim], options)).stdout;
  } catch (error) {
    const { killed, stdout } = error as { killed?: boolean; stdout?: string };
    return `${stdout ?? ''}${killed ? '\ntime limit reached' : ''}`;
  }
}

/** The findings of a run of the generated checker. */
interface PanReport {
  errors: number;
  states: number;
  /** Why the search ended early (memory, depth, time), if it did: then "no error" proves nothing. */
  incomplete: string | null;
  /** First complaint, e.g. the assertion that was violated. */
  complaint: string | null;
}

/** Reads the checker's output. @throws when it is no report at all: the checker crashed or never ran */
export function readPanReport(output: string): PanReport {
  const errors = /errors:\s*(\d+)/.exec(output)?.[1];
  const states = /^\s*([\d.e+]+) states, stored/m.exec(output)?.[1];
  if (errors === undefined || states === undefined) throw new Error(`the model checker gave no report:\n${output.slice(-2_000)}`);
  const complaint = /^pan:\d+: (.*)$/m.exec(output)?.[1] ?? null;
  return { errors: Number(errors), states: Number(states), incomplete: incompleteOf(output, Number(errors)), complaint };
}

function incompleteOf(output: string, errors: number): string | null {
  const truncated = /(max search depth too small|out of memory|memory limit|time limit|interrupted)/i.exec(output)?.[1];
  if (truncated) return truncated;
  // After an error the search stops on purpose.
  return errors === 0 && output.includes('Search not completed') ? 'search not completed' : null;
}

/** Why the run is not what it must be, or null. */
export function problemOf({ expects }: ModelRun, { errors, incomplete }: PanReport): string | null {
  if (expects === 'an error') return errors > 0 ? null : 'the checker did not miss the guard';
  if (errors > 0) return 'the checker found an error';
  return incomplete ? `not exhaustive: ${incomplete}` : null;
}

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
