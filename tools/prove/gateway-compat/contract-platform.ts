import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestTokenKeys } from '@paycode/access/testing';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { sendJson } from '../../../libs/platform-client/src/http/send-json';
import { writeCertificate } from './test-certificate';

interface StartOptions {
  command: string;
  args: string[];
  env?: Record<string, string>;
  /** Resolves the start when a line of output matches; the match is handed back. */
  ready: RegExp;
}

/** A program of its own, started for a test and stopped by its own pid. */
export class StartedProcess {
  private constructor(
    private readonly child: ChildProcess,
    /** The match of `ready`. */
    readonly match: RegExpExecArray,
  ) {}

  /** Rejects with the output when the program ends before it is ready. */
  static async start({ command, args, env, ready }: StartOptions): Promise<StartedProcess> {
    const child = spawn(command, args, { env: { PATH: '/usr/sbin:/usr/bin:/bin', ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const killWithUs = (): void => void child.kill('SIGKILL');
    process.once('exit', killWithUs);
    child.once('exit', () => process.off('exit', killWithUs));
    let output = '';
    const match = await new Promise<RegExpExecArray>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        output += chunk.toString();
        const found = ready.exec(output);
        if (found) resolve(found);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('error', reject);
      child.once('exit', code => reject(new Error(`${command} ended with ${code}:\n${output}`)));
    });
    return new StartedProcess(child, match);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }
}

/** A request as a service behind the front received it. */
export interface Echo {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Replaces all services: it answers with the received request, so that tests can check it from outside. */
class EchoService {
  /** Requests that got through. */
  count = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<EchoService> {
    const server = createServer();
    const echo = new EchoService(server);
    server.on('request', (request, response) => {
      echo.count += 1;
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.once('end', () => {
        const { method, url, headers } = request;
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ method, url, headers, body }));
      });
    });
    await echo.listen(0);
    return echo;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async listen(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

const dist = join(__dirname, '../../../dist/apps');
const secret = () => randomBytes(32).toString('hex');
const ring = () => `k1:${randomBytes(32).toString('base64')}`;

export interface Account {
  username: string;
  apiPassword: string;
}

/** A real auth-session as a process of its own, and one echo service for all that lies behind the fronts. */
export class ContractPlatform {
  readonly proxyToken = secret();
  readonly folder = mkdtempSync(join(tmpdir(), 'paycode-compat-'));
  readonly tokenKeys = new TestTokenKeys(this.folder);
  certificate!: Awaited<ReturnType<typeof writeCertificate>>;
  echo!: EchoService;
  authSession!: StartedProcess;
  private database!: TestDatabase;

  static async start(): Promise<ContractPlatform> {
    const platform = new ContractPlatform();
    // nginx drops to an unprivileged user when root starts it, and that one writes its temporary files below.
    chmodSync(platform.folder, 0o711);
    platform.certificate = await writeCertificate(platform.folder);
    platform.echo = await EchoService.start();
    platform.database = await createTestDatabase();
    platform.authSession = await StartedProcess.start({
      command: process.execPath,
      args: [join(dist, 'auth-session/main.cjs')],
      env: {
        INTERNAL_PORT: '0',
        PUBLIC_PORT: '0',
        DATABASE_URL: platform.database.url,
        ...platform.tokenKeys.env('auth-session'),
        EXTERNAL_AUTHORIZATION_TOKENS: platform.proxyToken,
        PASSWORD_PEPPERS: ring(),
        KEY_ENCRYPTION_KEYS: ring(),
        GUESSES_PER_ADDRESS_MAX: '10000',
      },
      ready: /"ports":\[(\d+),\d+\]/,
    });
    return platform;
  }

  /** Internal listener of auth-session, host and port. */
  get authSessionAddress(): string {
    return `127.0.0.1:${this.authSession.match[1]}`;
  }

  get echoAddress(): string {
    return `127.0.0.1:${this.echo.port}`;
  }

  async createAccount(account: object): Promise<Account> {
    const headers = this.tokenKeys.headers('operator', 'auth-session');
    const url = `http://${this.authSessionAddress}/internal/accounts`;
    const answer = await sendJson({ url, method: 'POST', headers, body: account });
    if (answer.status !== 201) throw new Error(`account not created: ${answer.status} ${answer.text}`);
    return answer.body as Account;
  }

  /** The account is only accepted from these addresses. */
  async bindToSources({ username }: Account, sourceAddresses: string[]): Promise<void> {
    const headers = this.tokenKeys.headers('operator', 'auth-session');
    const url = `http://${this.authSessionAddress}/internal/accounts/${username}/source-addresses`;
    const answer = await sendJson({ url, method: 'PUT', headers, body: { sourceAddresses } });
    if (answer.status !== 200) throw new Error(`sources not bound: ${answer.status} ${answer.text}`);
  }

  async stop(): Promise<void> {
    await this.authSession.stop();
    await this.echo.stop();
    await this.database.drop();
    rmSync(this.folder, { recursive: true });
  }
}
