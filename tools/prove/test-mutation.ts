/**
 * `npm run prove -- mutation`: faults are put into a copy of the code, and a test must notice each (`-- --help` for more). Two kinds: mutants that
 * Stryker makes of framework-free code, and the committed faults of tools/prove/mutation/seeded in SQL, settings and wiring.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { judgeFaults } from './mutation/judge-faults.ts';
import { type Outcome, reportOutcomes, reportVerdict, type SeededFault, seededFaults } from './mutation/seeded-faults.ts';
import { runStryker, type StrykerArea, strykerAreas } from './mutation/stryker/run-stryker.ts';

const usage = `npm run prove -- mutation [options]
Puts faults into a copy of the code, one at a time, and demands that a test notices each. Without an option: everything, which takes some two hours.
  --seeded      only the committed faults: SQL, settings, wiring (embedded PostgreSQL, or PAYCODE_TEST_DATABASE_URL)
  --stryker     only the mutants that Stryker makes of framework-free code, against the unit specs
  --only <id,…> these committed faults, or the Stryker areas of that name
  --sample      a few of both that are known to be caught, for CI
  --seed <n>    which ones the sample takes (default: from the commit)
  --list        the committed faults and Stryker's areas; runs nothing
Exit code 0: at least 97 % of the judged faults were caught and every survivor is explained; 1: not so; 2: could not be done.`;

const root = join(import.meta.dirname, '../..');
const seededPerSample = 4;
const mutatedFilesPerSample = 2;
const say = (text: string): void => console.log(text);

/** The faults and mutants of one run. */
interface Plan {
  seeded: SeededFault[];
  mutated: { area: StrykerArea; files: readonly string[] }[];
}

const { values } = parseArgs({
  options: {
    seeded: { type: 'boolean', default: false },
    stryker: { type: 'boolean', default: false },
    only: { type: 'string' },
    sample: { type: 'boolean', default: false },
    seed: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function list(faults: readonly SeededFault[]): void {
  for (const { id, area, breaks } of faults) say(`${id.padEnd(24)} ${area.padEnd(14)} ${breaks}`);
  for (const { area, project, files } of strykerAreas) say(`stryker: ${area} (${project}): ${files.join(', ')}`);
  say(`${faults.length} seeded faults, ${strykerAreas.length} areas for Stryker`);
}

function planOf(faults: readonly SeededFault[]): Plan {
  const isBoth = values.seeded === values.stryker;
  const { seeded, mutated } = values.sample ? samplePlan(faults) : fullPlan(faults);
  return { seeded: isBoth || values.seeded ? seeded : [], mutated: isBoth || values.stryker ? mutated : [] };
}

function fullPlan(faults: readonly SeededFault[]): Plan {
  const only = values.only?.split(',');
  const isWanted = (name: string) => only === undefined || only.includes(name);
  const areas = strykerAreas.filter(({ area }) => isWanted(area));
  return { seeded: faults.filter(({ id }) => isWanted(id)), mutated: areas.map(area => ({ area, files: area.files })) };
}

function samplePlan(faults: readonly SeededFault[]): Plan {
  const commit = () => execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const seed = values.seed === undefined ? Number.parseInt(commit(), 16) : Number(values.seed);
  say(`seed ${seed}; the same sample again: npm run prove -- mutation --sample --seed ${seed}`);
  const files = strykerAreas.flatMap(area => (area.sampled ?? []).map(file => ({ area, files: [file] })));
  const sampled = faults.filter(fault => fault.sampled);
  return { seeded: spread(sampled, seededPerSample, seed), mutated: spread(files, mutatedFilesPerSample, seed) };
}

/** `count` items at equal distances from a place that the seed decides: each item has its turn as the commits go on. */
function spread<T>(items: readonly T[], count: number, seed: number): T[] {
  const step = Math.max(1, Math.floor(items.length / count));
  return Array.from({ length: Math.min(count, items.length) }, (_, at) => items[(seed + at * step) % items.length]!);
}

async function run({ seeded, mutated }: Plan): Promise<0 | 1> {
  if (seeded.length + mutated.length === 0) throw new Error('nothing has that name: see --list');
  const outcomes: Outcome[] = await judgeFaults(root, seeded, say);
  reportOutcomes(outcomes, say);
  for (const { area, files } of mutated) {
    say(`Stryker: ${area.area}: ${files.join(', ')}`);
    const own = await runStryker(area, files, { root, say });
    reportOutcomes(own, say);
    outcomes.push(...own);
  }
  return reportVerdict(outcomes, say);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
if (values.seed !== undefined && !/^\d{1,10}$/.test(values.seed)) {
  console.error(`--seed: expected a whole number, not ${values.seed}`);
  process.exit(2);
}
try {
  const faults = seededFaults(root);
  if (values.help) say(usage);
  else if (values.list) list(faults);
  else process.exitCode = await run(planOf(faults));
} catch (error) {
  console.error(`The mutation run could not be done: ${(error as Error).stack}`);
  process.exitCode = 2;
}
