import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios, { type AxiosResponse } from 'axios';
import { build } from 'esbuild';
import type { ActingPerson, CallerName } from '@paycode/access';
import { TestTokenKeys } from '@paycode/access/testing';
import type { AuthorizeAnswer, AuthorizeRequest } from '@paycode/dto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { type RunningService, startService } from '@paycode/service-runtime';
import { SystemClock } from '@paycode/service-runtime/timing';
import { migrations } from '../../migrations';
import { AppModule, type AppOverrides } from '../app.module';
import { env } from '../config/env';
import { ServiceProcess } from './service-process';

let built: Promise<string> | undefined;

/** The RSA worker as one JavaScript file, as the build makes it: worker threads do not pass through Jest's transform. */
export function rsaWorkerFile(): Promise<string> {
  return (built ??= bundle());
}

async function bundle(): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'paycode-worker-')), 'rsa-challenge.worker.cjs');
  await build({
    entryPoints: [join(__dirname, '../challenges/rsa-challenge.worker.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    tsconfig: join(__dirname, '../../../../tsconfig.base.json'),
    logLevel: 'error',
  });
  return outfile;
}

const ring = () => `k1:${randomBytes(32).toString('base64')}`;

const tokenKeys = new TestTokenKeys();

export interface CreatedAccount {
  username: string;
  apiPassword: string;
}

/** A running auth-session, in this process or in one of its own. */
export type Replica = Pick<RunningService, 'ports' | 'stop'>;

type SessionOptions = [settings?: Record<string, string>, replicas?: number, overrides?: AppOverrides];

/** auth-session on free ports with a database of its own, and the calls tests make to it. */
export class TestAuthSession {
  private readonly http = axios.create({ validateStatus: () => true });
  readonly replicas: Replica[] = [];

  readonly clock = new TestClock();
  database!: TestDatabase;

  private constructor(
    private settings: Record<string, string> = {},
    private readonly replicaCount = 1,
    private readonly overrides: AppOverrides = {},
  ) {}

  static async start(...options: SessionOptions): Promise<TestAuthSession> {
    const service = new TestAuthSession(...options);
    await service.open();
    return service;
  }

  /** Runs from before the first test of the file or block until after its last. */
  static ofSpec(...options: SessionOptions): TestAuthSession {
    const service = new TestAuthSession(...options);
    beforeAll(() => service.open());
    afterAll(() => service.stop());
    return service;
  }

  private async open(): Promise<void> {
    this.database = await createTestDatabase({ migrations });
    this.settings = {
      LOG_LEVEL: 'silent',
      INTERNAL_PORT: '0',
      PUBLIC_PORT: '0',
      DATABASE_URL: this.database.url,
      DATABASE_POOL_MAX: '5',
      ...tokenKeys.env('auth-session'),
      PASSWORD_PEPPERS: ring(),
      KEY_ENCRYPTION_KEYS: ring(),
      ...this.settings,
    };
    for (let i = 0; i < this.replicaCount; i++) await this.addReplica();
  }

  /** One more replica on the same database. */
  async addReplica(settings: Record<string, string> = {}): Promise<RunningService> {
    const overrides: AppOverrides = { clock: this.clock, rsaWorkerFile: await rsaWorkerFile(), ...this.overrides };
    const replica = await startService(
      { name: 'auth-session', env, module: read => AppModule.forRoot(read, overrides), hasPublicPaths: true },
      { ...this.settings, ...settings },
    );
    this.replicas.push(replica);
    return replica;
  }

  /** The service as it is shipped, in a process of its own that tests may kill and whose output they may read. */
  async addProcess(settings: Record<string, string> = {}): Promise<ServiceProcess> {
    const process = await ServiceProcess.start({ ...this.settings, ...settings });
    this.replicas.push(process);
    return process;
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map(replica => replica.stop('test')));
    await this.database.drop();
  }

  /** A call to the internal listener with the operator token. */
  operator(method: string, path: string, data?: unknown): Promise<AxiosResponse> {
    return this.call({ method, path, data, headers: this.operatorHeaders(), listener: 'internal', replica: 0 });
  }

  /** A call to the internal listener with the token of a service. */
  as(caller: CallerName, path: string, data: object): Promise<AxiosResponse> {
    const headers = tokenKeys.headers(caller, 'auth-session');
    return this.call({ method: 'POST', path, data, headers, listener: 'internal', replica: 0 });
  }

  /** A call of the portal for a person. */
  asPerson(person: Partial<ActingPerson>, path: string, data: object): Promise<AxiosResponse> {
    const headers = tokenKeys.personHeaders('auth-session', person);
    return this.call({ method: 'POST', path, data, headers, listener: 'internal', replica: 0 });
  }

  /** As `operator`, of one replica. */
  operatorAt(replica: number, method: string, path: string): Promise<AxiosResponse> {
    return this.call({ method, path, headers: this.operatorHeaders(), listener: 'internal', replica });
  }

  /** A call to the public listener, as the gateway forwards it. */
  client(method: string, path: string, rest: Partial<Call> = {}): Promise<AxiosResponse> {
    return this.call({ headers: {}, replica: 0, ...rest, method, path, listener: 'public' });
  }

  async create(account: object): Promise<CreatedAccount> {
    const answer = await this.operator('POST', '/internal/accounts', account);
    if (answer.status !== 201) throw new Error(`account not created: ${answer.status} ${JSON.stringify(answer.data)}`);
    return answer.data as CreatedAccount;
  }

  /** Asks as the gateway does. */
  async authorize(request: Partial<AuthorizeRequest>, replica = 0): Promise<AuthorizeAnswer> {
    const full: AuthorizeRequest = {
      method: 'GET',
      path: '/pluto/remote/v4/lookup',
      authorization: [],
      address: '203.0.113.7',
      requestId: 'request-0001',
      ...request,
    };
    const answer = await this.call({
      method: 'POST',
      path: '/internal/authorize',
      data: full,
      headers: tokenKeys.headers('api-gateway', 'auth-session'),
      listener: 'internal',
      replica,
    });
    if (answer.status !== 200) throw new Error(`authorize answered ${answer.status}`);
    return answer.data as AuthorizeAnswer;
  }

  private operatorHeaders(): Record<string, string> {
    return tokenKeys.headers('operator', 'auth-session');
  }

  private call(call: Call): Promise<AxiosResponse> {
    const { method, path, data, listener, replica } = call;
    // Set even without a body: axios would otherwise declare a form, which the service refuses.
    const headers = { 'content-type': 'application/json', ...call.headers };
    return this.http.request({ method, url: this.url(listener, replica) + path, data, headers });
  }

  url(listener: 'internal' | 'public', replica = 0): string {
    return `http://127.0.0.1:${this.replicas[replica]!.ports[listener]}`;
  }
}

interface Call {
  method: string;
  path: string;
  data?: unknown;
  headers: Record<string, string>;
  listener: 'internal' | 'public';
  replica: number;
}

export const basic = (username: string, password: string) => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Status and message of a denial; `allowed` for an allowed request. */
export function outcomeOf(answer: AuthorizeAnswer): string {
  return answer.allowed ? 'allowed' : `${answer.status} ${(JSON.parse(answer.body) as { message: string }).message}`;
}

/** The real clock with a wall time that the test moves; PostgreSQL's own clock keeps running. */
export class TestClock extends SystemClock {
  private aheadMs = 0;
  private fixedMs: number | undefined;

  override epochMs(): number {
    return this.fixedMs ?? super.epochMs() + this.aheadMs;
  }

  advance(ms: number): void {
    if (this.fixedMs === undefined) this.aheadMs += ms;
    else this.fixedMs += ms;
  }

  /** Stands still at that instant. */
  set(epochMs: number): void {
    this.fixedMs = epochMs;
  }

  /** Runs again, at the real time. */
  reset(): void {
    this.fixedMs = undefined;
    this.aheadMs = 0;
  }
}
