/** Redis and RabbitMQ, which webhook senders need beside PostgreSQL: processes of this run, on ports of 127.0.0.1 that were free. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { accepts, type StartedPrograms } from './programs.ts';

/** Keeps what a crash of the system leaves of the last second, as it comes with Debian but for the log. Its port. */
export async function startRedis(started: StartedPrograms, file: string, folder: string): Promise<number> {
  const port = await freePort();
  const durability = ['--save', '60 500', '--appendonly', 'yes', '--appendfsync', 'everysec'];
  await started.start('Redis', {
    name: 'redis',
    file,
    args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', '.', ...durability],
    folder: join(folder, 'redis'),
    isReady: () => accepts(port),
  });
  return port;
}

/** Its port. */
export async function startRabbitmq(
  started: StartedPrograms,
  programs: { rabbitmq: string; epmd: string },
  home: string,
): Promise<number> {
  const [port, epmdPort, nodePort] = [await freePort(), await freePort(), await freePort()];
  const folder = join(home, 'rabbitmq');
  const epmd = { ERL_EPMD_PORT: String(epmdPort), ERL_EPMD_ADDRESS: '127.0.0.1' };
  // Erlang would start one that stays when the run has ended.
  await started.start('RabbitMQ', {
    name: 'epmd',
    file: programs.epmd,
    env: epmd,
    folder,
    isReady: () => accepts(epmdPort),
  });
  await started.start('RabbitMQ', {
    name: 'rabbitmq',
    file: programs.rabbitmq,
    env: {
      ...epmd,
      ...placesIn(folder),
      RABBITMQ_NODENAME: `bench-${port}@localhost`,
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_DIST_PORT: String(nodePort),
      RABBITMQ_LOGS: '-',
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
      // The script becomes the broker, so that there is no process between this one and it.
      RABBITMQ_ALLOW_INPUT: 'true',
      RABBITMQ_SERVER_START_ARGS: '-noinput',
    },
    folder,
    isReady: () => accepts(port),
  });
  return port;
}

/** Of its files. */
function placesIn(folder: string): Record<string, string> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'enabled-plugins'), '[].\n');
  const places = {
    MNESIA_BASE: 'mnesia',
    LOG_BASE: 'log',
    SCHEMA_DIR: 'schema',
    GENERATED_CONFIG_DIR: 'config',
    PID_FILE: 'pid',
    ENABLED_PLUGINS_FILE: 'enabled-plugins',
    CONFIG_FILE: 'none',
    CONF_ENV_FILE: 'none',
  };
  return Object.fromEntries(Object.entries(places).map(([name, file]) => [`RABBITMQ_${name}`, join(folder, file)]));
}
