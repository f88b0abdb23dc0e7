import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Surroundings } from '../play.ts';
import { freePort } from '../../../../libs/persistence/src/embedded/embedded-postgres.ts';

const root = join(import.meta.dirname, '../../../..');
const runFile = join(root, '.paycode/kafka/run.json');
const readyWithinMs = 300_000;

/** `npm run kafka` on a free port, for one play. */
export async function startBroker(): Promise<Surroundings> {
  const env = { ...process.env, KAFKA_PORT: String(await freePort()) };
  const child = spawn(process.execPath, ['tools/run.cjs', 'run/kafka', 'start', '--fresh'], { cwd: root, env });
  const brokers = await brokersOf(child);
  const { pids } = JSON.parse(readFileSync(runFile, 'utf8')) as { pids: number[] };
  return {
    settings: { EVENTS_TRANSPORT: 'kafka', KAFKA_BROKERS: brokers },
    fail: () => pids.forEach(pid => process.kill(pid, 'SIGKILL')),
    close: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function brokersOf(child: ChildProcess): Promise<string> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const giveUpAt = performance.now() + readyWithinMs;
  for (;;) {
    const brokers = /^KAFKA_BROKERS=(\S+)$/m.exec(output)?.[1];
    if (brokers) return brokers;
    if (child.exitCode !== null || performance.now() > giveUpAt) {
      child.kill('SIGTERM');
      throw new Error(`Kafka does not start:\n${output.slice(-2_000)}`);
    }
    await pause(100);
  }
}
