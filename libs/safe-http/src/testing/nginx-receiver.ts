import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestAuthority } from './test-authority';

/** Demands of the server on each request. */
export interface NginxDemands {
  /** `authorization`, `x_api_key`: as nginx names its variables. */
  header?: { name: string; value: string };
  /** PEM file of the authorities whose client certificates it takes. */
  clientCaFile?: string;
}

interface NginxRequest {
  status: number;
  /** Number of its connection. */
  connection: string;
  /** Whether a client certificate was verified: SUCCESS, NONE, FAILED:… */
  client: string;
  path: string;
}

/** A real nginx as a merchant's server on 127.0.0.1: 200 to what has its demands, else 401 or nginx's own 400. */
export class NginxReceiver {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    readonly url: string,
  ) {}

  static async start(authority: TestAuthority, demands: NginxDemands): Promise<NginxReceiver> {
    const folder = mkdtempSync(join(tmpdir(), 'paycode-nginx-'));
    const { cert, key } = await authority.issue({ dns: ['localhost'], ips: ['127.0.0.1'] });
    writeFileSync(join(folder, 'server.crt'), cert);
    writeFileSync(join(folder, 'server.key'), key, { mode: 0o600 });
    const port = await freePort();
    writeFileSync(join(folder, 'nginx.conf'), configOf(folder, port, demands));
    return new NginxReceiver(await startNginx(folder, port), folder, `https://127.0.0.1:${port}/hook`);
  }

  /** All requests that have been answered. nginx writes a line a moment after the answer. */
  get requests(): NginxRequest[] {
    const lines = readFileSync(join(this.folder, 'access.log'), 'utf8').split('\n').filter(Boolean);
    return lines.map(line => {
      const [status, connection, client, path] = line.split(' ') as [string, string, string, string];
      return { status: Number(status), connection, client, path };
    });
  }

  async stop(): Promise<void> {
    const exited = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await exited;
    rmSync(this.folder, { recursive: true });
  }
}

/** A real nginx with the `nginx.conf` of this folder, once it listens on the port of 127.0.0.1. */
export async function startNginx(folder: string, port: number): Promise<ChildProcess> {
  const files = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')];
  const nginx = spawn('nginx', [...files, '-g', 'daemon off; master_process off;'], { stdio: 'ignore' });
  await listening(nginx, port);
  return nginx;
}

function configOf(folder: string, port: number, { header, clientCaFile }: NginxDemands): string {
  const refusal = header ? `if ($http_${header.name} != '${header.value}') { return 401; }` : '';
  const client = clientCaFile ? `ssl_client_certificate ${clientCaFile}; ssl_verify_client on;` : '';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`);
  return `pid ${folder}/nginx.pid;
events {}
http {
  ${temporary.join(' ')}
  log_format short '$status $connection $ssl_client_verify $request_uri';
  access_log ${folder}/access.log short;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/server.crt; ssl_certificate_key ${folder}/server.key;
    ${client}
    location / { ${refusal} return 200; }
  }
}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const triesMax = 200;
const betweenTriesMs = 25;

async function listening(nginx: ChildProcess, port: number): Promise<void> {
  for (let tries = 0; tries < triesMax; tries++) {
    if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await pause(betweenTriesMs);
  }
  throw new Error('nginx does not listen');
}
