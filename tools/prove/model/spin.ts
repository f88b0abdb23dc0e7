import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { moveGuards } from '../simulation/cells/moves-surroundings.ts';
import { missingPrograms } from '../testing/processes.ts';

/** One run of the model checker. */
interface ModelRun {
  /** File in docs/specification. Default: settlement. */
  model?: 'cells';
  name: string;
  /** Statement of the protocol that the run proves. */
  shows: string;
  /** Preprocessor definitions for Spin: budgets, and guards taken out. */
  defines: readonly string[];
  /** `safety`: assertions and deadlocks; otherwise the name of an LTL claim of the model. */
  property: 'safety' | 'agree' | 'ends';
  /** Whether the checker must find an error: removing a guard must be noticed, or the guard is useless. */
  expects: 'no error' | 'an error';
}

/** Budgets of the small form: minutes become seconds, every guard still shows. */
const smallBudget = ['-DCRASH_S=0', '-DLOST=0'];
/** No faults, because losing an event needs no crash. */
const noFaults = ['-DCRASH_D=0', '-DCRASH_S=0', '-DLOST=0', '-DSUSPECT=0'];

function base(budget: readonly string[]): ModelRun[] {
  const run = { defines: budget, expects: 'no error' } as const;
  return [
    {
      name: 'safety',
      shows: 'P-I1 to P-I5: never both, never reversed twice, an acknowledgement wins, no deadlock',
      property: 'safety',
      ...run,
    },
    { name: 'agreement', shows: 'P-I6: SETTLED exactly for ACKED, REVERSED exactly for CLOSED', property: 'agree', ...run },
    { name: 'liveness', shows: 'P-I7: every payment ends, settled or reversed', property: 'ends', ...run },
  ];
}

const brokenSafety: [string, string][] = [
  ['NO_CLOSE', 'a timer that decides reverses an acknowledged payment'],
  ['HWM_ONLY', 'a timer that waits for AckReceived to be drained reverses one too: the acknowledgement is still in the outbox'],
  ['NO_OWNER', 'close on time alone reverses a payment whose 200 is in the memory of a live owner (the 44.9 s case)'],
  ['SKEW', 'an owner check and a write in two statements let a claim slip between'],
  ['NO_CAS', 'a verdict that is read, then written, is written twice'],
  ['DEC_NOCAS', 'a decision that is not write once reverses twice'],
  ['NO_EPOCH', 'a fenced replica closes while its successor holds a 200'],
  ['POST_FIRST', 'a POST leaves before its job is durable'],
  ['NO_DEDUP', 'a duplicate event re-opens an acknowledged delivery'],
  ['STRICT', 'the limit of any protocol: a 200 known only to a process that then died (protocol 1.7)'],
];

const guards: ModelRun[] = [
  ...brokenSafety.map(([guard, shows]): ModelRun => ({
    name: `without ${guard}`,
    shows,
    defines: [`-D${guard}`],
    property: 'safety',
    expects: 'an error',
  })),
  {
    name: 'without NO_RETAKE',
    shows: 'without take-over the delivery of a dead owner never ends',
    defines: ['-DNO_RETAKE'],
    property: 'ends',
    expects: 'an error',
  },
  {
    name: 'without NO_WATCH',
    shows: 'without the audit an event that the dispatcher lost never ends',
    defines: ['-DLOSES', '-DNO_WATCH', ...noFaults],
    property: 'ends',
    expects: 'an error',
  },
];

/** Ways by which the scheduler learns of an acknowledgement: no property may depend on which of them works. */
function ways(budget: readonly string[]): ModelRun[] {
  const run = { expects: 'no error' } as const;
  return [
    {
      name: 'safety, told directly too',
      shows:
        'P-I1 to P-I5 while a positive verdict is told by AckReceived and directly: two versions of the dispatcher in a roll-out',
      defines: [...budget, '-DTELL_ACKED'],
      property: 'safety',
      ...run,
    },
    {
      name: 'liveness without AckReceived',
      shows: 'P-I7 although AckReceived never comes: the timer asks, and the answer settles',
      defines: [...budget, '-DNO_RELAY'],
      property: 'ends',
      ...run,
    },
  ];
}

/** Guards whose removal loses events. Without one of the others a second cell takes a payment. */
const losing = new Set(['BEGIN_UNDRAINED', 'PAST_END']);

/** Liveness costs much more than safety, and two events are enough to lose one. */
const twoEvents = ['-DEVENTS=2'];

/** A partition that moves between cells. The model asks about each event again, so it keeps no answer that could be too old (OLD_HIGHEST). */
const moves: ModelRun[] = [
  {
    model: 'cells',
    name: 'moves, safety',
    shows: 'P-I15: one cell takes a payment, the one that the map names for its first event',
    defines: [],
    property: 'safety',
    expects: 'no error',
  },
  {
    model: 'cells',
    name: 'moves, liveness',
    shows: 'P-1.12: each payment is taken, wherever commands stop, and also after the partition went back',
    defines: twoEvents,
    property: 'ends',
    expects: 'no error',
  },
  ...Object.entries({ ...moveGuards, OLD_HIGHEST: '' })
    .filter(([, shows]) => shows)
    .map(([guard, shows]): ModelRun => ({
      model: 'cells',
      name: `moves without ${guard}`,
      shows,
      defines: [`-D${guard}`, ...(losing.has(guard) ? twoEvents : [])],
      property: losing.has(guard) ? 'ends' : 'safety',
      expects: 'an error',
    })),
];

/** The form for every change: seconds, some 200 MB. */
const smallRuns: ModelRun[] = [...base(smallBudget), ...ways(smallBudget), ...guards, ...moves];

/** The form of the protocol page: budgets as published there, some minutes, below 2 GB. */
const fullRuns: ModelRun[] = [
  ...base([]),
  ...ways([]),
  {
    name: 'liveness with losses',
    shows: 'P-I7 although the dispatcher loses the event or can never arm it: the audit ends it',
    defines: ['-DLOSES', '-DSTUCK=1'],
    property: 'ends',
    expects: 'no error',
  },
  ...guards,
  ...moves,
];

const run = promisify(execFile);
const outputBytesMax = 16_777_216;
/** Of one run: memory of the search, and time. */
const limits = { memoryMb: 4_096, timeoutMs: 600_000 };

/** Generates, compiles and runs the checker in a folder of its own. */
async function check(modelRun: ModelRun): Promise<PanReport> {
  const folder = await mkdtemp(join(tmpdir(), 'paycode-model-'));
  try {
    copyFileSync(join(specification, `${modelRun.model ?? 'settlement'}.pml`), join(folder, 'model.pml'));
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

const specification = join(import.meta.dirname, '../../../docs/specification');

/** Runs the checks and prints each result; `words` may contain `--full`. Returns 0 when all results are as expected. */
export async function checkModel(words: readonly string[]): Promise<number> {
  const runs = words.includes('--full') ? fullRuns : smallRuns;
  const missing = missingPrograms({ spin: ['-V'], gcc: ['--version'] });
  if (missing.length > 0) throw new Error(`${missing.join(' and ')} is not installed: apt-get install spin gcc`);
  let passed = 0;
  for (const modelRun of runs) if (await isAsItMustBe(modelRun)) passed++;
  process.stdout.write(`${passed} of ${runs.length} model runs as they must be\n`);
  return passed === runs.length ? 0 : 1;
}

async function isAsItMustBe(modelRun: ModelRun): Promise<boolean> {
  const startedAt = performance.now();
  const report = await check(modelRun);
  const problem = problemOf(modelRun, report);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const found = report.complaint ? `, found: ${report.complaint}` : '';
  process.stdout.write(`${problem ? 'FAILED' : 'ok    '} ${modelRun.name}: ${modelRun.shows}\n`);
  const states = report.states.toLocaleString('en');
  process.stdout.write(`       ${states} states, ${seconds} s${found}${problem ? ` - ${problem}` : ''}\n`);
  return !problem;
}
