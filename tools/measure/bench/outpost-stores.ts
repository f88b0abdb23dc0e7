/** Redis and RabbitMQ, which Outpost needs beside PostgreSQL: processes of this run, on ports of 127.0.0.1 that were free. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { ended } from './child-processes.ts';
import type { OutpostPrograms } from './outpost-programs.ts';
import { cpuUsOfTree } from './process-usage.ts';
import { type Program, startReady } from './started-programs.ts';

export class OutpostStores {
  private readonly started: Record<string, ChildProcess> = {};
  redisPort = 0;
  rabbitmqPort = 0;

  private constructor(
    private readonly programs: OutpostPrograms,
    private readonly folder: string,
  ) {}

  static async start(programs: OutpostPrograms, folder: string): Promise<OutpostStores> {
    const stores = new OutpostStores(programs, folder);
    try {
      await stores.startRedis();
      await stores.startRabbitmq();
    } catch (error) {
      await stores.stop();
      throw error;
    }
    return stores;
  }

  /** By name, with the processes that they started. */
  cpu(): Record<string, number> {
    return { Redis: cpuUsOfTree(this.started['redis']!.pid!), RabbitMQ: cpuUsOfTree(this.started['rabbitmq']!.pid!) };
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.started).map(child => ended(child, 'SIGKILL')));
  }

  /** Keeps what a crash of the system leaves of the last second, as it comes with Debian but for the log. */
  private async startRedis(): Promise<void> {
    const port = (this.redisPort = await freePort());
    const durability = ['--save', '60 500', '--appendonly', 'yes', '--appendfsync', 'everysec'];
    await this.start('redis', {
      file: this.programs.redis,
      args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', '.', ...durability],
      isReady: () => accepts(port),
    });
  }

  private async startRabbitmq(): Promise<void> {
    const [port, epmdPort, nodePort] = [await freePort(), await freePort(), await freePort()];
    this.rabbitmqPort = port;
    const epmd = { ERL_EPMD_PORT: String(epmdPort), ERL_EPMD_ADDRESS: '127.0.0.1' };
    // Erlang would start one that stays when the run has ended.
    await this.start('epmd', { file: this.programs.epmd, env: epmd, isReady: () => accepts(epmdPort) });
    const folder = join(this.folder, 'rabbitmq');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'enabled-plugins'), '[].\n');
    const files = {
      MNESIA_BASE: 'mnesia',
      LOG_BASE: 'log',
      SCHEMA_DIR: 'schema',
      GENERATED_CONFIG_DIR: 'config',
      PID_FILE: 'pid',
    };
    const places = Object.entries({
      ...files,
      ENABLED_PLUGINS_FILE: 'enabled-plugins',
      CONFIG_FILE: 'none',
      CONF_ENV_FILE: 'none',
    });
    await this.start('rabbitmq', {
      file: this.programs.rabbitmq,
      env: {
        ...epmd,
        ...Object.fromEntries(places.map(([name, file]) => [`RABBITMQ_${name}`, join(folder, file)])),
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
      isReady: () => accepts(port),
    });
  }

  private async start(name: string, program: Omit<Program, 'name' | 'folder'>): Promise<void> {
    this.started[name] = await startReady({ ...program, name, folder: join(this.folder, name) });
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.destroy() && resolve(true)).once('error', () => resolve(false));
  });
}
