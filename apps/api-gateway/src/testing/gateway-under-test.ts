import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyObject, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import * as x509 from '@peculiar/x509';
import { TestTokenKeys } from '@paycode/access/testing';
import type { AuthorizeRequest } from '@paycode/dto';
import { type RunningService, startService } from '@paycode/service-runtime';
import { AppModule } from '../app.module';
import { forwardingOptionsOf, gatewayLimits } from '../config/forwarding-options';
import { gatewayDefinition } from '../app.module';
import { PlainListener } from '../listener/plain-listener';
import { PublicListener } from '../listener/public-listener';
import { json, StubService } from './stub-service';

/** Bytes in, bytes out: for requests no HTTP client would send. */
export class RawConnection {
  received = '';
  /** Set when the connection was reset. */
  errorCode: string | undefined;
  readonly closed: Promise<void>;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString('latin1')));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.errorCode = error.code;
      socket.destroy();
    });
    this.closed = new Promise(resolve => socket.once('close', () => resolve()));
  }

  static async tls(port: number, ca: string, localAddress?: string): Promise<RawConnection> {
    const tcp = connectTcp({ port, host: '127.0.0.1', localAddress });
    const socket = connectTls({ socket: tcp, servername: 'localhost', ca, ALPNProtocols: ['http/1.1'] });
    await once(socket, 'secureConnect');
    return new RawConnection(socket);
  }

  static async tcp(port: number): Promise<RawConnection> {
    const socket = connectTcp({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Resolves when everything is handed to the network; rejects when the other side has closed before. */
  sendWhole(text: string): Promise<void> {
    return new Promise((resolve, reject) => this.socket.write(text, 'latin1', error => (error ? reject(error) : resolve())));
  }

  /** Everything received once the other side has closed. */
  async untilClosed(): Promise<string> {
    await this.closed;
    return this.received;
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** Status codes of all answers in a raw exchange. */
export function statusesOf(raw: string): number[] {
  return [...raw.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(match => Number(match[1])).filter(status => status !== 100);
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export interface CertificateFilesOnDisk {
  certFile: string;
  keyFile: string;
  /** PEM; the certificate is its own authority. */
  cert: string;
}

/** A self-signed certificate for localhost, written to `folder`. */
export async function writeTestCertificate(folder: string, name = 'localhost'): Promise<CertificateFilesOnDisk> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])],
  });
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem'), cert: certificate.toString('pem') };
  writeFileSync(files.keyFile, KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(files.certFile, files.cert);
  return files;
}

export interface GatewayAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Body as JSON. */
  readonly body: Record<string, unknown>;
}

export interface SendOptions extends RequestOptions {
  body?: string;
}

/** `settings`: of the environment; `limits`: in the place of constants. */
type GatewayOptions = [settings?: Record<string, string>, limits?: Partial<typeof gatewayLimits>];

/** The real gateway in front of a stand-in auth-session and one stand-in for all services, all over real sockets. */
export class GatewayUnderTest {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly folder = mkdtempSync(join(tmpdir(), 'paycode-gateway-'));
  readonly auth = new StubService((_request, response) => json(response, { allowed: true, identity: 'assertion' }));
  readonly upstream = new StubService((_request, response) => json(response, { from: 'upstream' }));
  certificate!: CertificateFilesOnDisk;
  service!: RunningService;

  static async start(...options: GatewayOptions): Promise<GatewayUnderTest> {
    const gateway = new GatewayUnderTest();
    await gateway.open(...options);
    return gateway;
  }

  /** Runs from before the first test of the file or block until after its last; its stand-ins answer as usual at the begin of each. */
  static ofSpec(...options: GatewayOptions): GatewayUnderTest {
    const gateway = new GatewayUnderTest();
    beforeAll(() => gateway.open(...options));
    beforeEach(() => gateway.reset());
    afterAll(() => gateway.stop());
    return gateway;
  }

  private async open(settings: Record<string, string> = {}, limits: Partial<typeof gatewayLimits> = {}): Promise<void> {
    this.certificate = await writeTestCertificate(this.folder);
    const [auth, upstream] = [await this.auth.listen(), await this.upstream.listen()];
    this.service = await startService(definitionWith(limits), {
      LOG_LEVEL: 'silent',
      INTERNAL_PORT: '0',
      PUBLIC_PORT: '0',
      PLAIN_HTTP_PORT: '0',
      ...new TestTokenKeys().env('api-gateway'),
      TLS_CERT_FILE: this.certificate.certFile,
      TLS_KEY_FILE: this.certificate.keyFile,
      AUTH_SESSION_URL: auth.url,
      AUTH_SESSION_PUBLIC_URL: upstream.url,
      NOTIFICATION_CONFIG_PUBLIC_URL: upstream.url,
      WEBHOOK_DISPATCHER_PUBLIC_URL: upstream.url,
      PAYMENT_SIMULATOR_PUBLIC_URL: upstream.url,
      PORTAL_PUBLIC_URL: upstream.url,
      ...settings,
    });
  }

  get port(): number {
    return this.service.app.get(PublicListener).port;
  }

  get plainPort(): number {
    return this.service.app.get(PlainListener).port;
  }

  /** The requests to auth-session, in order. */
  get asked(): AuthorizeRequest[] {
    return this.auth.seen.map(({ body }) => JSON.parse(body) as AuthorizeRequest);
  }

  /** Basic credentials name the account from now on, and auth-session asserts it. */
  assertsNames(): void {
    this.auth.answer = ({ body }, response) => {
      const [account] = (JSON.parse(body) as { authorization: string[] }).authorization;
      const identity = account && `h.${Buffer.from(JSON.stringify({ sub: account })).toString('base64url')}.s`;
      json(response, { allowed: true, identity });
    };
  }

  reset(): void {
    this.auth.reset();
    this.upstream.reset();
  }

  /** One request by Node's own client; `path` goes out exactly as given. */
  send(path: string, { body, ...options }: SendOptions = {}): Promise<GatewayAnswer> {
    return new Promise((resolve, reject) => {
      const request = httpsRequest(
        { host: 'localhost', port: this.port, path, ca: this.certificate.cert, agent: this.agent, family: 4, ...options },
        response => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () => {
            const text = Buffer.concat(chunks).toString();
            const answer = { status: response.statusCode ?? 0, headers: response.headers, text };
            resolve(Object.defineProperty(answer, 'body', { get: () => JSON.parse(text) as unknown }) as GatewayAnswer);
          });
        },
      );
      request.once('error', reject);
      request.end(body);
    });
  }

  post(path: string, body: string, headers: Record<string, string> = {}): Promise<GatewayAnswer> {
    return this.send(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  }

  /** `from`: another address of this machine. */
  raw(from?: string): Promise<RawConnection> {
    return RawConnection.tls(this.port, this.certificate.cert, from);
  }

  /** Value of a sample of the gateway's metrics; undefined when there is none. */
  async metric(sample: RegExp): Promise<number | undefined> {
    const text = await fetch(`http://127.0.0.1:${this.service.ports.internal}/metrics`).then(answer => answer.text());
    const line = text.split('\n').find(each => sample.test(each));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  }

  async stop(): Promise<void> {
    this.agent.destroy();
    await this.service.stop('test');
    await Promise.all([this.auth.stop(), this.upstream.stop()]);
    rmSync(this.folder, { recursive: true });
  }
}

function definitionWith(limits: Partial<typeof gatewayLimits>): typeof gatewayDefinition {
  const options = { ...gatewayLimits, ...limits };
  return { ...gatewayDefinition, module: env => AppModule.register(forwardingOptionsOf(env, options)) };
}
