/**
 * `npm run test:faults`: the fault cases of the settlement protocol with real processes, real PostgreSQL and, where the events matter,
 * real Kafka. `-- --case 17` runs one, `-- <word>` the files whose name contains it. The cases start Kafka themselves. With
 * FAULTS_EVENTS=postgres they use the event log in PostgreSQL, with FAULTS_EVENTS=kafka every case uses Kafka.
 *
 * `-- --random [--payments 10000] [--seed N] [--kafka]`: payments while processes are killed, stopped and restarted at random.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildApps } from '../run/build.ts';
import { runJest } from './testing/run-jest.ts';

const root = join(import.meta.dirname, '../..');
const cases = join(root, 'tools/prove/faults/cases');
const apps = ['webhook-dispatcher', 'reversal-scheduler', 'payment-simulator', 'notification-config'];

const { values, positionals } = parseArgs({
  options: {
    case: { type: 'string' },
    random: { type: 'boolean', default: false },
    payments: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    kafka: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

/** The files that hold the case. */
function filesOf(number: string): string[] {
  const call = new RegExp(`faultCase(Unless)?\\((\\s*\\w+,)?\\s*${Number(number)},`);
  const files = readdirSync(cases).filter(file => call.test(readFileSync(join(cases, file), 'utf8')));
  if (files.length === 0) throw new Error(`there is no case ${number}`);
  return files;
}

function run(files: string, words: string[], env: Record<string, string> = {}): Promise<number> {
  // Suites wait for leases and sessions more than they compute; of all of them, some have windows that another suite would make too short.
  const args = ['-c', join(root, 'tools/prove/suites.jest.config.cjs'), words.length > 0 ? '--maxWorkers=2' : '--runInBand'];
  return runJest({ name: 'test:faults', words, args, env: { PROVE_SUITE: `faults/${files}.fault`, ...env } });
}

function runAtRandom(): Promise<number> {
  const seed = values.seed ?? String(Date.now() % 1_000_000);
  console.log(
    `seed ${seed}; the same choices again: npm run test:faults -- --random --payments ${values.payments} --seed ${seed}${values.kafka ? ' --kafka' : ''}`,
  );
  const events = values.kafka ? 'kafka' : 'postgres';
  return run('random-kills', [], { FAULTS_PAYMENTS: values.payments, FAULTS_SEED: seed, FAULTS_RANDOM_EVENTS: events });
}

function runCases(): Promise<number> {
  const selection = values.case ? [...filesOf(values.case), '-t', `case ${Number(values.case)}:`] : positionals;
  return run('cases/*', selection);
}

await buildApps(apps);
process.exitCode = await (values.random ? runAtRandom() : runCases());
