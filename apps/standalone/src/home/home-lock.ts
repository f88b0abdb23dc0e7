import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fingerprintOf } from './home-folder';

const answerTimeoutMs = 1_000;

/** Another process already runs the platform from this folder. */
export class HomeInUseError extends Error {
  constructor(
    readonly home: string,
    readonly holderPid: string,
  ) {
    super(`${home} is in use by process ${holderPid}`);
    this.name = 'HomeInUseError';
  }
}

/**
 * Locks a home folder for this process. The lock is a listening local socket, which ends with the process in every case. A pid
 * file does not: after a reboot another process may have its number.
 */
export async function lockHome(home: string): Promise<{ release(): Promise<void> }> {
  const address = lockAddress(home);
  const server = createServer(socket => socket.on('error', () => socket.destroy()).end(String(process.pid)));
  await listen(server, address).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    const holder = await askHolder(address);
    if (holder !== undefined) throw new HomeInUseError(home, holder);
    rmSync(address, { force: true });
    await listen(server, address);
  });
  server.unref();
  return { release: () => new Promise(resolve => server.close(() => resolve())) };
}

/**
 * Abstract socket on Linux, named pipe on Windows: neither leaves a file behind. Elsewhere a file, which is removed when no process
 * answers on it.
 */
function lockAddress(home: string): string {
  const name = `paycode-${fingerprintOf(home)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Process id of the holder; undefined when no process listens any more. */
function askHolder(address: string): Promise<string | undefined> {
  return new Promise(resolve => {
    let answer = '';
    const socket = connect(address);
    socket.setTimeout(answerTimeoutMs, () => socket.destroy());
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.once('error', error => resolve((error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? undefined : 'unknown'));
    socket.once('close', () => resolve(answer || 'unknown'));
  });
}
