import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../../libs/persistence/src/embedded/embedded-postgres.ts';
import type { MutationOptions } from './options.ts';
import { faultAreas, listFileOf } from './planted/planted-faults.ts';
import { type JudgedFault, judgeAll } from './planted/judge-all.ts';
import { staleFaults } from './planted/plant.ts';
import { removedAtExit } from './planted/removed-at-exit.ts';
import { scratchCopy } from './planted/scratch-copy.ts';
import type { Outcome } from './report/outcome.ts';
import { reportOutcomes, reportVerdict } from './report/print-report.ts';
import { drawn, mutatedFilesPerSample, plantedPerSample, seedOf } from './sample.ts';
import { strykerAreas, type StrykerArea } from './stryker/areas.ts';
import { knownMutants } from './stryker/known-mutants.ts';
import { runStryker } from './stryker/run-stryker.ts';

type Say = (text: string) => void;

/** The faults and mutants of one run. */
interface Plan {
  planted: JudgedFault[];
  mutated: { area: StrykerArea; files: readonly string[] }[];
}

const allFaults: readonly JudgedFault[] = faultAreas.flatMap(({ area, faults }) => faults.map(fault => ({ area, fault })));

export function listFaults(say: Say): void {
  for (const { area, fault } of allFaults) say(`${fault.id.padEnd(24)} ${area.padEnd(14)} ${fault.against}: ${fault.breaks}`);
  for (const { area, project, files } of strykerAreas) say(`stryker: ${area} (${project}): ${files.join(', ')}`);
  say(`${allFaults.length} planted faults, ${strykerAreas.length} areas for Stryker`);
}

/** Exit code 1 when a fault of the list cannot be planted any more. */
export function verifyFaults(root: string, say: Say): 0 | 1 {
  const stale = staleFaults(
    root,
    allFaults.map(({ fault }) => fault),
    fault => join(root, listFileOf(fault.id)),
  );
  for (const problem of stale) say(problem);
  say(`${allFaults.length - stale.length} of ${allFaults.length} faults can be planted`);
  return stale.length === 0 ? 0 : 1;
}

/** Runs what the options choose and answers the exit code. */
export async function runMutations(root: string, options: MutationOptions, say: Say): Promise<0 | 1> {
  const plan = options.isSample ? samplePlan(root, options, say) : fullPlan(options);
  if (plan.planted.length + plan.mutated.length === 0) throw new Error('nothing of that name: --list tells what there is');
  const planted = await judgePlanted(root, plan.planted, { ...options, say });
  reportOutcomes(planted, say);
  return reportVerdict([...planted, ...(await mutate(root, plan.mutated, say))], say);
}

function fullPlan({ isPlanted, isStryker, only }: MutationOptions): Plan {
  const isWanted = (name: string): boolean => only === undefined || only.has(name);
  return {
    planted: isPlanted ? allFaults.filter(({ fault }) => isWanted(fault.id)) : [],
    mutated: isStryker ? strykerAreas.filter(({ area }) => isWanted(area)).map(area => ({ area, files: area.files })) : [],
  };
}

function samplePlan(root: string, { isPlanted, isStryker, seed: given }: MutationOptions, say: Say): Plan {
  const seed = given ?? seedOf(execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }));
  say(`seed ${seed}; the same sample again: npm run test:mutation -- --sample --seed ${seed}`);
  const files = strykerAreas.flatMap(area => area.sampled.map(file => ({ area, files: [file] })));
  return {
    planted: isPlanted
      ? drawn(
          allFaults.filter(({ fault }) => fault.isSampled),
          plantedPerSample,
          seed,
        )
      : [],
    mutated: isStryker ? drawn(files, mutatedFilesPerSample, seed) : [],
  };
}

async function judgePlanted(
  root: string,
  faults: JudgedFault[],
  { limitMs, testLimitMs, say }: MutationOptions & { say: Say },
): Promise<Outcome[]> {
  if (faults.length === 0) return [];
  const copy = scratchCopy(root);
  try {
    const database = await databaseServer();
    try {
      say(`${faults.length} planted faults, in ${copy.root}`);
      return await judgeAll(faults, { root: copy.root, databaseUrl: database.url, limitMs, testLimitMs }, say);
    } finally {
      await database.stop();
    }
  } finally {
    copy.remove();
  }
}

/** One server for all faults: the caller's, or an embedded one that goes when this process does. */
async function databaseServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const url = process.env['PAYCODE_TEST_DATABASE_URL'];
  if (url) return { url, stop: () => Promise.resolve() };
  const home = mkdtempSync(join(tmpdir(), 'paycode-mutation-db-'));
  const removeHome = removedAtExit(home);
  chmodSync(home, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: join(home, 'postgres'), volatile: true, endsWithParent: true });
  const stop = async (): Promise<void> => {
    await postgres.stop();
    removeHome();
  };
  return { url: postgres.url, stop };
}

async function mutate(root: string, chosen: Plan['mutated'], say: Say): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { area, files } of chosen) {
    say(`Stryker: ${area.area}: ${files.join(', ')}`);
    const own = await runStryker(area, files, { root, known: knownMutants, say });
    // At once: the run takes long, and whatever ends it early must not take this with it.
    reportOutcomes(own, say);
    outcomes.push(...own);
  }
  return outcomes;
}
