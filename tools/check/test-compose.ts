/**
 * `npm run test:compose`: docker/compose.yaml for real, on podman: up, the demo, down. By hand, as root on Linux. Needs podman with netavark and
 * aardvark-dns, runc, podman-compose 1.3 or newer (pip), buildah, debootstrap, Java and Maven; without one of them it says so and fails.
 * No registry is asked: tools/check/compose/compose-images.sh makes the images, with stand-ins for those of PostgreSQL, Kafka and Mailpit.
 */
import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { kafkaJars, kafkaVersion } from '../run/kafka/distribution.ts';
import { Composition } from './compose/composition.ts';

const needed: Record<string, string[]> = {
  podman: ['--version'],
  'podman-compose': ['--version'],
  runc: ['--version'],
  buildah: ['--version'],
  debootstrap: ['--version'],
  java: ['-version'],
  mvn: ['-v'],
};
const data = ['postgres', 'kafka', 'mail'];
const services = [
  'auth-session',
  'notification-config',
  'webhook-dispatcher',
  'reversal-scheduler',
  'recipient-messages',
  'portal',
  'payment-simulator',
  'api-gateway',
];

const missing = Object.entries(needed).flatMap(([command, args]) => (spawnSync(command, args).error ? [command] : []));
if (process.getuid?.() !== 0) missing.push('root');
if (missing.length > 0) {
  console.error(`docker/compose.yaml cannot be run here without ${missing.join(', ')}.`);
  process.exitCode = 1;
} else {
  await makeImages();
  await play(new Composition());
}

async function makeImages(): Promise<void> {
  const jars = await kafkaJars(kafkaVersion());
  const made = spawnSync(join(import.meta.dirname, 'compose/compose-images.sh'), [jars], { stdio: 'inherit' });
  if (made.status !== 0) throw new Error(`compose-images.sh ended with ${made.status}`);
}

async function play(composition: Composition): Promise<void> {
  try {
    await part('PostgreSQL, Kafka and the mailbox are healthy', async () => {
      composition.start(...data);
      await composition.isHealthy('postgres', 'kafka');
    });
    await part('setup has made keys, certificate, databases and topics', async () => {
      composition.start('setup');
      await composition.hasSucceeded('setup');
    });
    await part('all eight services are healthy', async () => {
      composition.start(...services);
      await composition.isHealthy(...services);
    });
    await part('seed has made the demo accounts', async () => {
      composition.start('seed');
      await composition.hasSucceeded('seed');
    });
    await part('the demo settles one payment and reverses one', () =>
      seesBothEnds(composition.compose('--profile', 'demo', 'run', '--rm', '--no-deps', 'demo')),
    );
    await part('the mailbox is published on this machine', async () => {
      const { status } = await fetch('http://127.0.0.1:8025');
      if (status !== 200) throw new Error(`it answers ${status}`);
    });
    await part('down leaves no container, and the volumes', () => {
      composition.compose('down');
      expectLeft(composition, { ps: 0, volume: 3 });
    });
  } catch (error) {
    console.error(composition.logs());
    throw error;
  } finally {
    composition.end();
  }
  expectLeft(composition, { ps: 0, volume: 0 });
}

/** Says how long it took, and under which load. */
async function part(name: string, act: () => void | Promise<void>): Promise<void> {
  const startedMs = performance.now();
  let outcome = 'FAILED';
  try {
    await act();
    outcome = 'ok';
  } finally {
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0).padStart(4);
    console.log(`${seconds} s  ${outcome}  ${name} (load ${loadavg()[0]!.toFixed(1)})`);
  }
}

function seesBothEnds(story: string): void {
  for (const end of [/answered 200\): SETTLED/, /answered 503\): REVERSED/])
    if (!end.test(story)) throw new Error(`the demo does not say ${end}:\n${story}`);
}

function expectLeft(composition: Composition, wanted: Record<'ps' | 'volume', number>): void {
  for (const kind of ['ps', 'volume'] as const) {
    const left = composition.left(kind);
    if (left.length !== wanted[kind]) throw new Error(`${kind}: left are ${left.join(', ') || 'none'}, not ${wanted[kind]}`);
  }
}
