/** Where the programs are that Outpost runs with. */
import { builtIn, findPrograms, installed, systemFolders } from './found-programs.ts';

export interface OutpostPrograms {
  /** Migrates its stores. */
  command: string;
  server: string;
  redis: string;
  rabbitmq: string;
  /** Knows the ports of Erlang's nodes, for RabbitMQ. */
  epmd: string;
}

/** Debian's command in the path changes the user and stays beside the broker; the one in this folder becomes it. */
const brokerFolder = '/usr/lib/rabbitmq/bin';

/** `folder` holds what Outpost's repository builds. @throws naming each program that is missing, and how to get it */
export function findOutpost(folder: string, system: readonly string[] = [brokerFolder, ...systemFolders]): OutpostPrograms {
  const own = builtIn(folder, 'go build -o FOLDER/ ./cmd/outpost ./cmd/outpost-server');
  const stores = installed(system, 'Outpost', 'redis-server rabbitmq-server');
  return findPrograms('--outpost', {
    command: ['outpost', own],
    server: ['outpost-server', own],
    redis: ['redis-server', stores],
    rabbitmq: ['rabbitmq-server', stores],
    epmd: ['epmd', stores],
  });
}
