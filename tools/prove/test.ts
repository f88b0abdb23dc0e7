/**
 * npm test: runs every spec of apps, libs and tools on one embedded PostgreSQL.
 *
 *   npm test -- dispatcher    the specs whose path contains the word
 *   npm test -- --changedSince=main    the specs that import, directly or not, what has changed since main
 *   npm run test:e2e          the journeys, which start the whole platform
 *
 * Other options go to Jest.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
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
process.exitCode = await runJest({
  name: isJourneyRun ? 'test:e2e' : 'test',
  words: given.filter(word => word !== '--e2e'),
  // The longest suites wait for time limits, and a third one works meanwhile on two cores.
  args: isJourneyRun ? ['-c', journeys, '--maxWorkers=1'] : ['--maxWorkers=3'],
});
