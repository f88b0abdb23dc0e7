/** Where the programs are that Outpost runs with. */
import { randomBytes } from 'node:crypto';
import { freePort } from '@paycode/persistence/embedded';
import type { CalledProcess } from './child-processes.ts';
import type { Circumstances } from './contender.ts';
import { outpostTopic } from './core-calls.ts';
import type { BenchMerchant } from './merchants.ts';
import { builtIn, findPrograms, installed, runProgram, StartedPrograms, systemFolders } from './programs.ts';
import { startRabbitmq, startRedis } from './sender-stores.ts';
import { type Attempt, databaseOf, SenderUnderTest, type StartedSender } from './sender-under-test.ts';
import { answersWell } from './services.ts';

interface OutpostPrograms {
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

/** Outpost in one process with its stores. A tenant with a receiver is a merchant. */
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

export class OutpostUnderTest extends SenderUnderTest {
  static async start(receiver: CalledProcess, found: OutpostPrograms, around: Circumstances): Promise<OutpostUnderTest> {
    return await StartedPrograms.startWith(async programs => {
      const outpost = new OutpostUnderTest('Outpost', receiver, around, await startServer(programs, found, around));
      return await outpost.open();
    });
  }

  /** Of all tenants, so that PostgreSQL reads the new ones only: rows are wide, and the question comes often. */
  protected async endsFromNow(): Promise<() => Promise<number>> {
    const tenants = this.around.merchants.map(({ merchantId }) => String(merchantId));
    const since = new Date().toISOString();
    const sql = `select count(*)::int as count from attempts where tenant_id = any($1) and status = 'success' and time >= $2`;
    return async () => (await this.query<{ count: number }>(sql, [tenants, since]))[0]!.count;
  }

  protected async attempts(sent: ReadonlySet<number>): Promise<Attempt[]> {
    const sql = 'select event_id as id, status from attempts where event_id::bigint between $1 and $2';
    const rows = await this.query<{ id: string; status: string }>(sql, [Math.min(...sent), Math.max(...sent)]);
    return rows.map(({ id, status }) => ({ id: Number(id), isSuccess: status === 'success' }));
  }

  protected async register({ merchantId, url }: BenchMerchant): Promise<void> {
    await this.ask('PUT', `/tenants/${merchantId}`);
    await this.ask('POST', `/tenants/${merchantId}/destinations`, { type: 'webhook', topics: ['*'], config: { url } });
  }
}

async function startServer(programs: StartedPrograms, found: OutpostPrograms, around: Circumstances): Promise<StartedSender> {
  const stores = around.database.folder('outpost-stores');
  const redisPort = await startRedis(programs, found.redis, stores);
  const rabbitmqPort = await startRabbitmq(programs, found, stores);
  const [port, token] = [await freePort(), secret()];
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...settings,
    API_PORT: String(port),
    API_KEY: token,
    API_JWT_SECRET: secret(),
    AES_ENCRYPTION_SECRET: secret(),
    POSTGRES_URL: `${await around.database.create(databaseOf('Outpost'))}?sslmode=disable`,
    REDIS_HOST: '127.0.0.1',
    REDIS_PORT: String(redisPort),
    RABBITMQ_SERVER_URL: `amqp://guest:guest@127.0.0.1:${rabbitmqPort}`,
    SSL_CERT_FILE: around.certificate.certFile,
  };
  const folder = around.database.folder('outpost');
  // A server on stores that are not migrated refuses to start.
  await runProgram(found.command, ['migrate', 'apply', '--yes'], { env, folder });
  const isReady = () => answersWell(`${url}/healthz`);
  await programs.start('Outpost', { name: 'outpost', file: found.server, env, folder, isReady });
  return { programs, url, token };
}

/** As long as a key of AES-256. */
const secret = () => randomBytes(16).toString('hex');
