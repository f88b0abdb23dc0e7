/** Where the programs are that Outpost runs with: looked for before anything starts. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

export interface OutpostPrograms {
  /** Migrates its stores. */
  command: string;
  server: string;
  redis: string;
  rabbitmq: string;
  /** Knows the ports of Erlang's nodes, for RabbitMQ. */
  epmd: string;
}

/** Debian's command in the path changes the user and stays beside the broker; the one in the first folder becomes it. */
const systemFolders = ['/usr/lib/rabbitmq/bin', ...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
const install = 'on the PATH, and Outpost needs it: on Debian, apt-get install redis-server rabbitmq-server';

/** `folder` holds what Outpost's repository builds. @throws naming each program that is missing, and how to get it */
export function findOutpost(folder: string, system: readonly string[] = systemFolders): OutpostPrograms {
  const missing: string[] = [];
  const look = (name: string, folders: readonly string[], hint: string): string => {
    const found = folders.map(each => join(each, name)).find(isProgram);
    if (!found) missing.push(`--outpost: no program ${name} ${hint}`);
    return found ?? '';
  };
  const own = [resolve(folder)];
  const build = `in ${own[0]!}: build it in its repository, go build -o FOLDER/ ./cmd/outpost ./cmd/outpost-server`;
  const programs = {
    command: look('outpost', own, build),
    server: look('outpost-server', own, build),
    redis: look('redis-server', system, install),
    rabbitmq: look('rabbitmq-server', system, install),
    epmd: look('epmd', system, install),
  };
  if (missing.length > 0) throw new Error(missing.join('\n'));
  return programs;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
