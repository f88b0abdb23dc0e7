import { parseArgs } from 'node:util';
import { faultKinds } from './engine/timeline.ts';
import { isMutation, type RunReport, runSeeds, seedThatMisses, simulate } from './simulate.ts';
import { mutations } from './world/swarm.ts';

const usage = `npm run test:simulation -- [options]
  --seeds <n>        how many seeds (default 300)
  --from <n>         first seed (default: a fixed set from 1 on, then as many again from a random one)
  --ci               the form for every change: a fixed set, then random seeds for some 10 s; every kind of fault must occur
  --seed <n>         replays one seed; with --trace line by line
  --mutation <name>  with one guard taken out; fails unless it is missed within --seeds (default 10000)
  --mutations        every guard in turn
Guards: ${Object.keys(mutations).join(', ')}`;

const options = {
  seeds: { type: 'string' },
  from: { type: 'string' },
  seed: { type: 'string' },
  ci: { type: 'boolean', default: false },
  trace: { type: 'boolean', default: false },
  mutation: { type: 'string' },
  mutations: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const say = (text: string) => process.stdout.write(`${text}\n`);
const seedsForGuards = 10_000;
/** Beyond any fixed seed. */
const randomSeedMin = 1_000_000;
/** Together below 45 s on one shared core. */
const ciSeeds = 140;
/** `npm test` runs the seeds before this one. */
const ciFrom = 11;
const ciRandomMs = 10_000;

interface Chosen {
  seeds?: string;
  from?: string;
  seed?: string;
  trace: boolean;
  mutation?: string;
  mutations: boolean;
}

function main(): number {
  const values = chosenOptions();
  if (!values) return 1;
  if (values.help) {
    say(usage);
    return 0;
  }
  return values.ci ? continuous() : chosen(values);
}

/** The options of the command; undefined after it has said which one it does not know. */
function chosenOptions() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    return undefined;
  }
}

function chosen(values: Chosen): number {
  if (values.seed !== undefined) return replay(Number(values.seed), values.trace, values.mutation);
  if (values.mutations) return guards(Object.keys(mutations), Number(values.seeds ?? seedsForGuards));
  if (values.mutation) return guards([values.mutation], Number(values.seeds ?? seedsForGuards));
  return unbroken(values.from, Number(values.seeds ?? 300));
}

/** A fixed set of seeds and, unless told where to begin, as many random ones. */
function unbroken(from: string | undefined, count: number): number {
  return from === undefined
    ? codeOf(printedRun(1, count), printedRun(randomSeed(), count))
    : codeOf(printedRun(Number(from), count));
}

function randomSeed(): number {
  return randomSeedMin + Math.floor(Math.random() * 1e9);
}

/** Runs all fixed seeds, then random ones while time is left. */
function continuous(): number {
  const [fixed, random] = [printedRun(ciFrom, ciSeeds), printedRun(randomSeed(), Number.MAX_SAFE_INTEGER, ciRandomMs)];
  const { missing } = fixed.faults;
  if (missing.length > 0) say(`FAILED: never happened: ${missing.join(', ')}`);
  return missing.length > 0 ? 1 : codeOf(fixed, random);
}

/** 0 when no seed breaks an invariant. */
function codeOf(...reports: RunReport[]): number {
  return reports.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

/** Runs seeds and prints what happened in them. */
function printedRun(from: number, count: number, msMax?: number): RunReport {
  const report = runSeeds(from, count, { failuresMax: 5, msMax });
  const { seeds, payments, settled, reversed, steps, cpuS, failures } = report;
  say(`seeds ${from} to ${from + seeds - 1}: ${payments} payments, ${settled} settled, ${reversed} reversed, ${steps} steps,`);
  say(`  ${cpuS.toFixed(1)} s of processor time; ${failures.length} broken seeds`);
  for (const kind of faultKinds) say(`    ${String(report.faults.of(kind)).padStart(9)} ${kind}`);
  for (const { seed, broken } of failures) {
    const { rule, transactionId, atMs, message } = broken!;
    say(`BROKEN ${rule} seed ${seed} transaction ${transactionId} at ${atMs.toFixed(1)} ms: ${message}`);
    say(`  replay: npm run test:simulation -- --seed ${seed} --trace`);
  }
  return report;
}

/** 0 when the simulation notices each missing guard. */
function guards(names: string[], seedsMax: number): number {
  let unnoticed = 0;
  for (const name of names) {
    if (!isMutation(name)) throw new Error(`no such guard: ${name}\n\n${usage}`);
    const found = seedThatMisses(name, 1, seedsMax);
    if (found)
      say(`ok     ${name}: ${mutations[name]} - seed ${found.seed} breaks ${found.broken!.rule}: ${found.broken!.message}`);
    else say(`FAILED ${name}: ${mutations[name]} - not noticed in ${seedsMax} seeds`);
    if (!found) unnoticed++;
  }
  say(`${names.length - unnoticed} of ${names.length} missing guards noticed`);
  return unnoticed === 0 ? 0 : 1;
}

/** Runs one seed twice, and tells whether both were the same, step by step. */
function replay(seed: number, hasTrace: boolean, mutation: string | undefined): number {
  if (mutation !== undefined && !isMutation(mutation)) throw new Error(`no such guard: ${mutation}\n\n${usage}`);
  const first = simulate({ seed, mutation });
  const again = simulate({ seed, mutation, onTrace: hasTrace ? say : undefined });
  say(JSON.stringify(again, null, 2));
  if (first.fingerprint !== again.fingerprint) say('NOT REPEATABLE: two runs of the seed differ');
  return first.fingerprint === again.fingerprint && !again.broken ? 0 : 1;
}

// Errors of a simulation have no stack, because it makes millions of them.
Error.stackTraceLimit = 0;
// Not from the module's own promise: the simulation runs promise callbacks itself.
setImmediate(() => (process.exitCode = main()));
