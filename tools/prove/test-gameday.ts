/** `npm run prove -- game-day`: faults played on standalone platforms beside a real Prometheus with the shipped rules (`-- --help` for more). */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { shippedAlerts } from './game-day/prometheus.ts';
import { plays } from './game-day/plays.ts';
import { type GameDay, isPassed, type Play, type PlayResult, runPlay, tableOf } from './game-day/run-play.ts';
import { missingPrograms } from './testing/processes.ts';

const components = join(import.meta.dirname, '../../k8s/components');
/** Plays side by side, each on a platform of its own, about 1 GiB. */
const atOnce = 3;
const usage = `npm run prove -- game-day [fault...]
Faults:
${plays.map(({ name, what, heldMin }) => `  ${name.padEnd(16)} ${what} (${heldMin} min)`).join('\n')}
Needs the Debian packages prometheus, libfaketime and openssl, and Java and Maven for the broker.
Fails when an expected alert is missing or a page fires that is not expected. An unexpected ticket is told.`;

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean', default: false } },
  allowPositionals: true,
});

function chosen(): Play[] {
  const unknown = positionals.filter(name => !plays.some(play => play.name === name));
  if (unknown.length > 0) throw new Error(`there is no fault ${unknown.join(', ')}\n${usage}`);
  return plays.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
}

async function main(): Promise<boolean> {
  const missing = missingPrograms({ prometheus: ['--version'], promtool: ['--version'] });
  if (missing.length > 0) throw new Error(`this machine lacks ${missing.join(' and ')}: apt-get install prometheus`);
  const alerts = shippedAlerts(components);
  const results = await playAll(chosen(), { alerts, say });
  console.log(`\n${tableOf(results)}\n`);
  console.log('Alerts that need a cluster and were not played:');
  for (const [alert, needs] of alerts.elsewhere) console.log(`  ${alert} (${needs})`);
  return results.every(isPassed);
}

/** The results in the order of the plays. */
async function playAll(wanted: readonly Play[], day: GameDay): Promise<PlayResult[]> {
  const results = new Map<string, PlayResult>();
  const waiting = [...wanted];
  const playOn = async (): Promise<void> => {
    for (let play = waiting.shift(); play; play = waiting.shift()) {
      const result = await runPlay(play, day);
      results.set(play.name, result);
      console.log(`\n${tableOf([result])}\n`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, playOn));
  return wanted.map(({ name }) => results.get(name)!);
}

function say(line: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
}

if (values.help) console.log(usage);
else process.exitCode = (await main()) ? 0 : 1;
