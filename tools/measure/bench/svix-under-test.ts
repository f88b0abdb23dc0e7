/** Where the programs are that Svix runs with. */
import { randomBytes } from 'node:crypto';
import { freePort } from '@paycode/persistence/embedded';
import type { CalledProcess } from './child-processes.ts';
import type { Circumstances } from './contender.ts';
import { numberOfMessage } from './core-calls.ts';
import type { BenchMerchant } from './merchants.ts';
import { builtIn, findPrograms, installed, runProgram, StartedPrograms, systemFolders } from './programs.ts';
import { startRedis } from './sender-stores.ts';
import { type Attempt, databaseOf, SenderUnderTest, type StartedSender } from './sender-under-test.ts';
import { answersWell } from './services.ts';

interface SvixPrograms {
  /** API, worker and migrations. */
  server: string;
  redis: string;
}

/** `folder` holds what Svix's repository builds. @throws naming each program that is missing, and how to get it */
export function findSvix(folder: string, system: readonly string[] = systemFolders): SvixPrograms {
  return findPrograms('--svix', {
    server: ['svix-server', builtIn(folder, 'cargo build --release in its folder server')],
    redis: ['redis-server', installed(system, 'Svix', 'redis-server')],
  });
}

/** Svix, its API and its worker in one process, with Redis as its queue. An application with an endpoint is a merchant. */
/** Its defaults, those that its figures hang on, but that it may call this machine, and that 40 connections were faster than 100. */
const settings = {
  SVIX_QUEUE_TYPE: 'redis',
  SVIX_CACHE_TYPE: 'memory',
  SVIX_DB_POOL_MAX_SIZE: '40',
  SVIX_REDIS_POOL_MAX_SIZE: '100',
  SVIX_WORKER_MAX_TASKS: '500',
  SVIX_LOG_LEVEL: 'info',
  SVIX_WHITELIST_SUBNETS: '[127.0.0.0/8]',
};
/** Of an attempt, as its database keeps it. */
const success = 0;

export class SvixUnderTest extends SenderUnderTest {
  private readonly endpointIds: string[] = [];
  /** The last attempt before the run. */
  private lastId = '';

  static async start(receiver: CalledProcess, found: SvixPrograms, around: Circumstances): Promise<SvixUnderTest> {
    return await StartedPrograms.startWith(async programs => {
      const svix = new SvixUnderTest('Svix', receiver, around, await startServer(programs, found, around));
      return await svix.open();
    });
  }

  /** Ids of attempts ascend with their time. By endpoint, because there is an index for that: the question comes often. */
  protected async endsFromNow(): Promise<() => Promise<number>> {
    this.lastId = (await this.query<{ id: string }>("select coalesce(max(id), '') as id from messageattempt", []))[0]!.id;
    const sql = 'select count(*)::int as count from messageattempt where endp_id = any($1) and status = $2 and id > $3';
    const values = [this.endpointIds, success, this.lastId];
    return async () => (await this.query<{ count: number }>(sql, values))[0]!.count;
  }

  protected async attempts(): Promise<Attempt[]> {
    const sql = 'select msg_id as id, status from messageattempt where id > $1';
    const rows = await this.query<{ id: string; status: number }>(sql, [this.lastId]);
    return rows.map(({ id, status }) => ({ id: numberOfMessage(id), isSuccess: status === success }));
  }

  protected async register({ merchantId, url }: BenchMerchant): Promise<void> {
    await this.ask('POST', '/app', { name: `Merchant ${merchantId}`, uid: String(merchantId) });
    this.endpointIds.push((await this.ask<{ id: string }>('POST', `/app/${merchantId}/endpoint`, { url })).id);
  }
}

async function startServer(programs: StartedPrograms, found: SvixPrograms, around: Circumstances): Promise<StartedSender> {
  const folder = around.database.folder('svix');
  const [redisPort, port] = [await startRedis(programs, found.redis, folder), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...settings,
    SVIX_LISTEN_ADDRESS: `127.0.0.1:${port}`,
    SVIX_JWT_SECRET: randomBytes(32).toString('hex'),
    SVIX_DB_DSN: await around.database.create(databaseOf('Svix')),
    SVIX_REDIS_DSN: `redis://127.0.0.1:${redisPort}`,
    SSL_CERT_FILE: around.certificate.certFile,
  };
  await runProgram(found.server, ['migrate'], { env, folder });
  const answer = await runProgram(found.server, ['jwt', 'generate'], { env, folder });
  const token = /Token \(Bearer\): (\S+)/.exec(answer)?.[1];
  if (!token) throw new Error(`svix-server jwt generate gave no token: ${answer}`);
  const isReady = () => answersWell(`${url}/api/v1/health`);
  await programs.start('Svix', { name: 'svix', file: found.server, env, folder, isReady });
  return { programs, url, token };
}
