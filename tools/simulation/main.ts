import { parseArgs } from 'node:util';
import { isMutation, runSeeds, seedThatMisses } from './run-simulations.ts';
import { simulate } from './simulate.ts';
import { mutations } from './world/mutations.ts';

const usage = `npm run test:simulation -- [options]
  --seeds <n>        how many seeds (default 300)
  --from <n>         first seed (default: a fixed set from 1 on, then as many again from a random one)
  --seed <n>         replays one seed; with --trace line by line
  --mutation <name>  with one guard taken out; fails unless it is missed within --seeds (default 10000)
  --mutations        every guard in turn
Guards: ${Object.keys(mutations).join(', ')}`;

const options = {
  seeds: { type: 'string' },
  from: { type: 'string' },
  seed: { type: 'string' },
  trace: { type: 'boolean', default: false },
  mutation: { type: 'string' },
  mutations: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const say = (text: string) => process.stdout.write(`${text}\n`);
const seedsForGuards = 10_000;
/** Beyond any fixed seed. */
const randomSeedMin = 1_000_000;

function main(): number {
  const { values } = parseArgs({ options });
  if (values.help) {
    say(usage);
    return 0;
  }
  if (values.seed !== undefined) return replay(Number(values.seed), values.trace, values.mutation);
  const names = values.mutations ? Object.keys(mutations) : values.mutation ? [values.mutation] : [];
  return names.length > 0
    ? guards(names, Number(values.seeds ?? seedsForGuards))
    : unbroken(values.from, Number(values.seeds ?? 300));
}

/** A fixed set of seeds and, unless told where to begin, as many random ones. */
function unbroken(from: string | undefined, count: number): number {
  if (from !== undefined) return seeds(Number(from), count);
  const random = randomSeedMin + Math.floor(Math.random() * 1e9);
  return Math.max(seeds(1, count), seeds(random, count));
}

/** 0 when no seed breaks an invariant. */
function seeds(from: number, count: number): number {
  const report = runSeeds(from, count, { failuresMax: 5 });
  const { payments, settled, reversed, steps, cpuS } = report;
  const rate = Math.round(payments / cpuS);
  say(
    `seeds ${from} to ${from + report.seeds - 1}: ${payments} payments, ${settled} settled, ${reversed} reversed, ${steps} steps;`,
  );
  say(`  ${rate} simulated payments per second of processor time (${cpuS.toFixed(1)} s); ${report.failures.length} broken seeds`);
  for (const { seed, broken } of report.failures) {
    say(
      `BROKEN ${broken!.rule} seed ${seed} transaction ${broken!.transactionId} at ${broken!.atMs.toFixed(1)} ms: ${broken!.message}`,
    );
    say(`  replay: npm run test:simulation -- --seed ${seed} --trace`);
  }
  return report.failures.length === 0 ? 0 : 1;
}

/** 0 when each missing guard shows. */
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

// Errors of a simulation carry no stack: millions of them are part of the game.
Error.stackTraceLimit = 0;
// Not from the module's own promise: the simulation runs promise callbacks itself.
setImmediate(() => (process.exitCode = main()));
