/**
 * `npm test`: every spec of apps, libs and tools, on one embedded PostgreSQL. Words after `--` go to Jest: `npm test -- dispatcher`
 * runs the specs whose path contains "dispatcher"; `npm test -- --changed` those that a change since `main` can reach. `npm run test:e2e` runs
 * the journeys, which start the whole platform.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { runJest } from './testing/run-jest.ts';

const journeys = join(import.meta.dirname, '../../apps/platform-e2e/jest.config.cjs');

/** One line on whether the Kafka half of the suites runs; throws when it must and cannot. */
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

/** What `--changed` means to Jest: everything since this branch left `main`, what is not committed included. */
function changedSince(): string {
  const mergeBase = (main: string) =>
    execFileSync('git', ['merge-base', 'HEAD', main], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  for (const main of ['origin/main', 'main']) {
    try {
      return `--changedSince=${mergeBase(main).trim()}`;
    } catch {
      // There is no such branch here: the next one.
    }
  }
  throw new Error('--changed needs a git repository with a branch main or origin/main');
}

announceKafka();
const given = process.argv.slice(2);
const isJourneyRun = given.includes('--e2e');
process.exitCode = await runJest({
  name: isJourneyRun ? 'test:e2e' : 'test',
  words: given.filter(word => word !== '--e2e').map(word => (word === '--changed' ? changedSince() : word)),
  // The longest suites wait for time limits, and a third one works meanwhile on two cores.
  args: isJourneyRun ? ['-c', journeys, '--maxWorkers=1'] : ['--maxWorkers=3'],
});
