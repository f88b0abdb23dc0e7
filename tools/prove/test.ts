/**
 * npm test: runs every spec of apps, libs and tools on one embedded PostgreSQL.
 *
 *   npm test -- dispatcher    the specs whose path contains the word
 *   npm test -- --changed     the projects that the changes since main can reach, with the projects that depend on them
 *   npm run test:e2e          the journeys, which start the whole platform
 *
 * Other options go to Jest.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { closeRunFolder, openRunFolder } from './testing/run-folder.ts';
import { runJest } from './testing/run-jest.ts';

const root = join(import.meta.dirname, '../..');
const journeys = join(root, 'apps/platform-e2e/jest.config.cjs');

/** Prints whether the Kafka half of the suites runs; throws when it must and cannot. */
function announceKafka(): void {
  const brokers = process.env['KAFKA_BROKERS'];
  if (brokers) console.log(`Kafka: the suites also run against ${brokers}`);
  else if (process.env['PAYCODE_REQUIRE_KAFKA'] === '1')
    throw new Error('PAYCODE_REQUIRE_KAFKA=1, but KAFKA_BROKERS is not set: the Kafka suites cannot run');
  else
    console.log(
      'Kafka: not run, no KAFKA_BROKERS. To run it: npm run kafka -- start --detach, then KAFKA_BROKERS=<what it prints> npm test',
    );
}

/** The commit at which this branch left `main`. */
function mergeBase(): string {
  for (const main of ['origin/main', 'main']) {
    try {
      const args = ['merge-base', 'HEAD', main];
      return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    } catch {
      // The repository has no such branch: try the next one.
    }
  }
  throw new Error('--changed needs a git repository with a branch main or origin/main');
}

/** Runs the `test` target of each project that the changes can reach. Nx repeats the result of a project whose inputs did not change. */
async function testAffected(): Promise<number> {
  const affected = ['--affected', '--withTarget=test', `--base=${mergeBase()}`];
  const env = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' };
  const nx = join(root, 'node_modules/.bin/nx');
  const projects = execFileSync(nx, ['show', 'projects', ...affected], { cwd: root, encoding: 'utf8', env })
    .split('\n')
    .filter(Boolean);
  if (projects.length === 0) {
    console.error('No project with specs is affected by the changes since main: nothing ran. npm test runs every spec.');
    return 1;
  }
  console.log(`${projects.length} projects are affected: ${projects.join(', ')}`);
  const folder = openRunFolder();
  try {
    const args = ['run-many', '-t', 'test', '-p', projects.join(','), '--parallel=1', '--outputStyle=static'];
    return spawnSync(nx, args, { cwd: root, stdio: 'inherit', env: { ...env, TMPDIR: folder } }).status ?? 1;
  } finally {
    await closeRunFolder(folder);
  }
}

/** Specs read files that git does not hold, and a clean clone lacks. */
function generateMissing(): void {
  if (existsSync(join(root, 'k8s/components/external-secrets/external-secrets.yaml'))) return;
  console.log('Generating the files that git does not hold (npm run generate).');
  const generate = [join(root, 'tools/run.cjs'), 'generate', '--ignored'];
  execFileSync(process.execPath, generate, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

announceKafka();
generateMissing();
const given = process.argv.slice(2);
const isJourneyRun = given.includes('--e2e');
process.exitCode = given.includes('--changed')
  ? await testAffected()
  : await runJest({
      name: isJourneyRun ? 'test:e2e' : 'test',
      words: given.filter(word => word !== '--e2e'),
      // The longest suites wait for time limits, and a third one works meanwhile on two cores.
      args: isJourneyRun ? ['-c', journeys, '--maxWorkers=1'] : ['--maxWorkers=3'],
    });
