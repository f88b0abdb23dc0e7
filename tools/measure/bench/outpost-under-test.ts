/** Outpost in one process with its stores, called as a payment core would call it: an event per payment, a tenant with a receiver per merchant. */
import { randomBytes } from 'node:crypto';
import { type ChildProcess, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from '@paycode/persistence/embedded';
import { CalledStack } from './called-stack.ts';
import type { CalledProcess } from './child-calls.ts';
import { ended } from './child-processes.ts';
import type { Circumstances } from './contender.ts';
import { outpostTopic } from './core-calls.ts';
import type { CoreOptions } from './core.main.ts';
import { countDeviations } from './exact-audit.ts';
import type { OutpostPrograms } from './outpost-programs.ts';
import { OutpostStores } from './outpost-stores.ts';
import { cpuUsOf, cpuUsOfTree } from './process-usage.ts';
import { answersWell } from './services.ts';
import { startReady } from './started-programs.ts';

const database = 'outpost';
/** Concurrency is one by default. Batches of the log fill before their second is over, and divide a burst: its last one waits for nothing. */
const settings = {
  PUBLISH_MAX_CONCURRENCY: '100',
  DELIVERY_MAX_CONCURRENCY: '100',
  LOG_MAX_CONCURRENCY: '4',
  LOG_BATCH_THRESHOLD_SECONDS: '1',
  LOG_BATCH_SIZE: '200',
  DELIVERY_TIMEOUT_SECONDS: '45',
  MAX_RETRY_LIMIT: '3',
  DISABLE_TELEMETRY: 'true',
  TOPICS: outpostTopic,
  // Receivers know a payment by the header of the platform.
  DESTINATIONS_WEBHOOK_EVENT_ID_HEADER_NAME: 'x-webhook-transaction-id',
};

const migrationTimeoutMs = 60_000;

interface Server {
  url: string;
  apiKey: string;
  child: ChildProcess;
}

export class OutpostUnderTest extends CalledStack {
  private constructor(
    receiver: CalledProcess,
    private readonly around: Circumstances,
    private readonly stores: OutpostStores,
    private readonly server: Server,
  ) {
    super('Outpost', database, { receiver, server: around.database });
  }

  static async start(receiver: CalledProcess, programs: OutpostPrograms, around: Circumstances): Promise<OutpostUnderTest> {
    const stores = await OutpostStores.start(programs, around.database.folder('outpost-stores'));
    const server = await startServer(programs, stores, around).catch(async (error: unknown) => {
      await stores.stop();
      throw error;
    });
    const outpost = new OutpostUnderTest(receiver, around, stores, server);
    const merchantIds = around.merchants.map(({ merchantId }) => merchantId);
    for (const merchant of around.merchants) await outpost.register(merchant);
    await outpost.core.call('open', {
      kind: 'outpost',
      url: server.url,
      token: server.apiKey,
      merchantIds,
    } satisfies CoreOptions);
    return outpost;
  }

  async stop(): Promise<void> {
    await this.core.stop();
    await ended(this.server.child, 'SIGKILL');
    await this.stores.stop();
  }

  protected cpu(): Record<string, number> {
    return {
      Outpost: cpuUsOf(this.server.child.pid!),
      ...this.stores.cpu(),
      PostgreSQL: cpuUsOfTree(this.around.database.pid),
    };
  }

  /** Of all tenants, so that PostgreSQL reads the new ones only: rows are wide, and the question comes often. */
  protected async endsFromNow(): Promise<() => Promise<number>> {
    const tenants = this.around.merchants.map(({ merchantId }) => String(merchantId));
    const since = new Date().toISOString();
    const sql = `select count(*)::int as count from attempts where tenant_id = any($1) and status = 'success' and time >= $2`;
    return async () => (await this.around.database.query<{ count: number }>(database, sql, [tenants, since]))[0]!.count;
  }

  protected async deviations(sent: ReadonlySet<number>, received: Float64Array): Promise<string[]> {
    const sql = 'select event_id as id, status from attempts where event_id::bigint between $1 and $2';
    const attempts = await this.around.database.query<{ id: string; status: string }>(database, sql, [
      Math.min(...sent),
      Math.max(...sent),
    ]);
    const failed = attempts.filter(({ status }) => status !== 'success').length;
    return [
      ...countDeviations('POST', sent, received),
      ...countDeviations(
        'recorded attempt',
        sent,
        attempts.map(({ id }) => Number(id)),
      ),
      ...(failed > 0 ? [`${failed} x recorded attempt other than success`] : []),
    ].map(deviation => `Outpost: ${deviation}`);
  }

  private async register({ merchantId, url }: { merchantId: number; url: string }): Promise<void> {
    await this.ask('PUT', `/tenants/${merchantId}`);
    await this.ask('POST', `/tenants/${merchantId}/destinations`, { type: 'webhook', topics: ['*'], config: { url } });
  }

  private async ask(method: string, path: string, body: unknown = {}): Promise<void> {
    const headers = { authorization: `Bearer ${this.server.apiKey}`, 'content-type': 'application/json' };
    const answer = await fetch(`${this.server.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`Outpost answered ${answer.status} to ${method} ${path}: ${await answer.text()}`);
  }
}

async function startServer(programs: OutpostPrograms, stores: OutpostStores, around: Circumstances): Promise<Server> {
  const [port, apiKey] = [await freePort(), secret()];
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...settings,
    API_PORT: String(port),
    API_KEY: apiKey,
    API_JWT_SECRET: secret(),
    AES_ENCRYPTION_SECRET: secret(),
    POSTGRES_URL: `${await around.database.create(database)}?sslmode=disable`,
    REDIS_HOST: '127.0.0.1',
    REDIS_PORT: String(stores.redisPort),
    RABBITMQ_SERVER_URL: `amqp://guest:guest@127.0.0.1:${stores.rabbitmqPort}`,
    SSL_CERT_FILE: around.certificate.certFile,
  };
  const folder = around.database.folder('outpost');
  // A server on stores that are not migrated refuses to start.
  await promisify(execFile)(programs.command, ['migrate', 'apply', '--yes'], { env, cwd: folder, timeout: migrationTimeoutMs });
  const isReady = () => answersWell(`${url}/healthz`);
  const child = await startReady({ name: 'outpost', file: programs.server, env, folder, isReady });
  return { url, apiKey, child };
}

/** As long as a key of AES-256. */
const secret = () => randomBytes(16).toString('hex');
