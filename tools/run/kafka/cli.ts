import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type NodePorts, KafkaCluster } from './kafka-cluster';
import { kafkaVersion, workspaceRoot } from './distribution';

const usage = `usage: npm run kafka -- [start | stop | status] [options]
  start            (default) runs until Ctrl-C
    --detach       starts in the background; 'stop' ends it
    --brokers N    1 (default) or 3
    --fresh        forgets the data of earlier runs
environment: KAFKA_PORT (19092; further brokers and controllers use the next ports), KAFKA_VERSION (4.2.1)`;

/** Data that a detached start stores for 'stop' and 'status'. */
interface RunFile {
  brokers: string[];
  pids: number[];
}

const home = join(workspaceRoot(), '.paycode/kafka');
const runFile = join(home, 'run.json');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { detach: { type: 'boolean' }, fresh: { type: 'boolean' }, brokers: { type: 'string', default: '1' } },
  });
  const command = positionals[0] ?? 'start';
  if (command === 'start')
    return start({ detach: values.detach ?? false, fresh: values.fresh ?? false, brokers: Number(values.brokers) });
  if (command === 'stop') return stop();
  if (command === 'status') return status();
  throw new Error(usage);
}

interface StartOptions {
  detach: boolean;
  fresh: boolean;
  brokers: number;
}

async function start({ detach, fresh, brokers }: StartOptions): Promise<void> {
  if (brokers !== 1 && brokers !== 3) throw new Error(usage);
  const running = readRun();
  if (running)
    throw new Error(`Kafka already runs here: KAFKA_BROKERS=${running.brokers.join(',')}; 'npm run kafka -- stop' ends it`);
  const folder = join(home, `${brokers}-broker`);
  if (fresh) rmSync(folder, { recursive: true, force: true });
  say('starting Kafka (the first start fetches it from Maven Central)');
  const cluster = await KafkaCluster.start({ version: kafkaVersion(), nodes: portsOf(brokers), folder, detached: detach });
  const created = await cluster.ensureTopics();
  if (created.length > 0) say(`created ${created.length} topics`);
  const run: RunFile = { brokers: cluster.brokers, pids: cluster.nodes.flatMap(node => node.pid ?? []) };
  writeFileSync(runFile, JSON.stringify(run));
  say(`KAFKA_BROKERS=${cluster.brokers.join(',')}`);
  if (!detach) await serve(cluster);
}

function portsOf(brokers: number): NodePorts[] {
  const firstPort = Number(process.env['KAFKA_PORT'] ?? 19_092);
  return Array.from({ length: brokers }, (_, at) => ({ client: firstPort + 2 * at, controller: firstPort + 2 * at + 1 }));
}

async function serve(cluster: KafkaCluster): Promise<void> {
  await interrupted();
  say('stopping');
  await cluster.stop();
  rmSync(runFile, { force: true });
}

function interrupted(): Promise<void> {
  return new Promise(resolve => {
    // Keeps the process alive; the brokers are children that it does not wait for.
    const alive = setInterval(() => undefined, 60_000);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        clearInterval(alive);
        resolve();
      });
    }
  });
}

async function stop(): Promise<void> {
  const run = readRun();
  if (!run) return say('Kafka does not run here');
  for (const pid of run.pids.filter(isBroker)) process.kill(pid, 'SIGTERM');
  const giveUpAt = performance.now() + 30_000;
  while (run.pids.some(isBroker) && performance.now() < giveUpAt) await pause(100);
  for (const pid of run.pids.filter(isBroker)) process.kill(pid, 'SIGKILL');
  rmSync(runFile, { force: true });
  say('stopped');
}

function status(): void {
  const run = readRun();
  if (!run) {
    say('Kafka does not run here');
    process.exitCode = 1;
    return;
  }
  say(`running (pid ${run.pids.join(', ')})\nKAFKA_BROKERS=${run.brokers.join(',')}`);
}

/** The run that exists; the file of a crashed run is ignored. */
function readRun(): RunFile | undefined {
  if (!existsSync(runFile)) return undefined;
  const run = JSON.parse(readFileSync(runFile, 'utf8')) as RunFile;
  if (run.pids.some(isBroker)) return run;
  rmSync(runFile, { force: true });
  return undefined;
}

/** Whether the process is alive and a Kafka broker, because another process may have the pid by now. */
function isBroker(pid: number): boolean {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes('kafka.Kafka');
  } catch {
    // ps exits 1 when there is no such process.
    return false;
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
