import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ModelRun } from './model-runs.ts';
import { type PanReport, readPanReport } from './pan-report.ts';

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
export async function requirePrograms(): Promise<void> {
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
export async function check(model: string, modelRun: ModelRun): Promise<PanReport> {
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
