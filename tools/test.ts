/**
 * `npm test`: every spec of apps, libs and tools, on one embedded PostgreSQL. Words after `--` go to Jest: `npm test -- dispatcher`
 * runs the specs whose path contains "dispatcher". `npm run test:e2e` runs the journeys, which start the whole platform.
 * A resource that keeps Jest from exiting fails the run. (A worker that exits late is only told: on a busy machine half a second is short.)
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const journeys = 'platform-e2e';
const leak = /Jest did not exit one second after/;

/** Words come first: the project options would swallow a path that follows them. */
function jestArguments(words: string[]): string[] {
  const isJourneyRun = words.includes('--e2e');
  const scope = isJourneyRun
    ? ['--maxWorkers=1', '--selectProjects', journeys]
    : ['--maxWorkers=2', '--ignoreProjects', journeys];
  return [...words.filter(word => word !== '--e2e'), ...scope];
}

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

async function runJest(words: string[]): Promise<number> {
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const child = spawn(process.execPath, [...node, jest, ...jestArguments(words)], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'pipe'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  let hasLeak = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    hasLeak ||= leak.test(text);
    process.stderr.write(text);
  });
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', exit => resolve(exit ?? 1));
  });
  if (hasLeak) console.error('A test left a timer, connection or process open: that fails the run.');
  return hasLeak ? 1 : code;
}

announceKafka();
process.exitCode = await runJest(process.argv.slice(2));
