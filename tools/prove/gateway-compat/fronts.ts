import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { request as secureRequest } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestTokenKeys } from '@paycode/access/testing';
import { freePort } from '@paycode/persistence/embedded';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { TestAuthority, type TestCertificate } from '@paycode/safe-http/testing';
import { sendJson } from '../../../libs/platform-client/src/http/send-json';
import { StartedProcess } from '../testing/own-platform';

/** A request as a service behind the front received it. */
interface Echo {
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
  /** Of localhost; every front serves it. */
  certificate!: TestCertificate;
  readonly certFile = join(this.folder, 'cert.pem');
  readonly keyFile = join(this.folder, 'key.pem');
  echo!: EchoService;
  authSession!: StartedProcess;
  /** Internal listener of auth-session, host and port. */
  authSessionAddress!: string;
  private database!: TestDatabase;

  static async start(): Promise<ContractPlatform> {
    const platform = new ContractPlatform();
    // nginx drops to an unprivileged user when root starts it, and that one writes its temporary files below.
    chmodSync(platform.folder, 0o711);
    platform.certificate = await TestAuthority.selfSigned({ dns: ['localhost'] });
    writeFileSync(platform.certFile, platform.certificate.cert);
    writeFileSync(platform.keyFile, platform.certificate.key);
    platform.echo = await EchoService.start();
    platform.database = await createTestDatabase();
    const [authSession, [, port]] = await StartedProcess.start({
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
    Object.assign(platform, { authSession, authSessionAddress: `127.0.0.1:${port}` });
    return platform;
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

  async stop(): Promise<void> {
    await this.authSession.stop();
    await this.echo.stop();
    await this.database.drop();
    rmSync(this.folder, { recursive: true });
  }
}

export interface FrontRequest {
  method?: string;
  /** Goes out exactly as given. */
  path: string;
  /** Field lines, names and values alternating; repeated names go out repeated. */
  headers?: string[];
  body?: string;
  /** Sends the body in chunks, without its length. */
  isChunked?: boolean;
  maxVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** Cipher suites that are offered; default: Node's. */
  ciphers?: string;
}

interface FrontAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Error body of the platform, without what differs per request. */
  error: { status: number; error: string; message: string; code: string; path: string };
  /** The request as the service behind the front saw it. */
  echo: Echo;
}

/** A client of one front. Every request has the same request id and a connection of its own. */
export class FrontClient {
  constructor(
    private readonly port: number,
    private readonly ca: string,
  ) {}

  send(request: FrontRequest): Promise<FrontAnswer> {
    const { method = 'GET', path, headers = [], body, isChunked = false, maxVersion, ciphers } = request;
    const lines = ['Host', `localhost:${this.port}`, 'X-Request-Id', 'contract-1', ...headers];
    if (body !== undefined)
      lines.push(...(isChunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(Buffer.byteLength(body))]));
    const to = {
      host: '127.0.0.1',
      servername: 'localhost',
      port: this.port,
      ca: this.ca,
      agent: false,
      maxVersion,
      ciphers,
    } as const;
    return new Promise((resolve, reject) => {
      const outgoing = secureRequest({ ...to, method, path, headers: lines });
      outgoing.once('error', reject);
      outgoing.once('response', response => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.once('error', reject);
        response.once('end', () => resolve(answerOf(response.statusCode ?? 0, response.headers, text)));
      });
      outgoing.end(body);
    });
  }

  /** Plain HTTP on the TLS port; everything that came back. */
  sendPlain(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write(text));
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      socket.once('error', reject).once('close', () => resolve(received));
    });
  }
}

function answerOf(status: number, headers: IncomingHttpHeaders, text: string): FrontAnswer {
  const json = headers['content-type']?.startsWith('application/json') ? (JSON.parse(text) as Record<string, never>) : {};
  const { status: bodyStatus, error, message, code, path } = json as FrontAnswer['error'] & Record<string, never>;
  return { status, headers, text, error: { status: bodyStatus, error, message, code, path }, echo: json as unknown as Echo };
}

/** Of programs that no shell has prepared. */
const env = { PATH: '/usr/sbin:/usr/bin:/bin' };

/** Something that terminates TLS in front of the platform and asks auth-session. */
export interface Front {
  port: number;
  process: StartedProcess;
}

export type StartFront = (platform: ContractPlatform) => Promise<Front>;

/** Our own gateway. */
export const startApiGateway: StartFront = async platform => {
  const port = await freePort();
  const service = `http://${platform.echoAddress}`;
  const [process_] = await StartedProcess.start({
    args: [join(__dirname, '../../../dist/apps/api-gateway/main.cjs')],
    env: {
      INTERNAL_PORT: '0',
      PUBLIC_PORT: String(port),
      ...platform.tokenKeys.env('api-gateway'),
      TLS_CERT_FILE: platform.certFile,
      TLS_KEY_FILE: platform.keyFile,
      AUTH_SESSION_URL: `http://${platform.authSessionAddress}`,
      AUTH_SESSION_PUBLIC_URL: service,
      NOTIFICATION_CONFIG_PUBLIC_URL: service,
      WEBHOOK_DISPATCHER_PUBLIC_URL: service,
      PAYMENT_SIMULATOR_PUBLIC_URL: service,
    },
    ready: /"event":"started"/,
  });
  return { port, process: process_ };
};

/** nginx with the configuration of docs/how-to/external-authorization.md. */
export const startNginx: StartFront = async platform => {
  const port = await freePort();
  const run = join(platform.folder, 'nginx');
  mkdirSync(run);
  const values: Record<string, string> = {
    NGINX_MODULES: '/usr/lib/nginx/modules',
    CONFIG_FOLDER: join(__dirname, 'nginx'),
    RUN_FOLDER: run,
    ACCESS_LOG: join(run, 'access.log'),
    LISTEN: `127.0.0.1:${port}`,
    TLS_CERT_FILE: platform.certFile,
    TLS_KEY_FILE: platform.keyFile,
    PROXY_TOKEN: platform.proxyToken,
    AUTH_SESSION_INTERNAL: platform.authSessionAddress,
    AUTH_SESSION: platform.echoAddress,
    NOTIFICATION_CONFIG: platform.echoAddress,
    WEBHOOK_DISPATCHER: platform.echoAddress,
    PAYMENT_SIMULATOR: platform.echoAddress,
  };
  const template = readFileSync(join(__dirname, 'nginx/nginx.conf'), 'utf8');
  const file = join(run, 'nginx.conf');
  writeFileSync(
    file,
    template.replace(/\$\{([A-Z_]+)\}/g, (_, name: string) => values[name] ?? `missing ${name}`),
  );
  const args = ['-c', file, '-g', 'daemon off; error_log stderr notice;'];
  const [process_] = await StartedProcess.start({ command: 'nginx', args, env, ready: /start worker process \d+/ });
  return { port, process: process_ };
};
