import { startEmbeddedPostgres, stopAbandonedPostgres, type EmbeddedPostgres } from '@paycode/persistence/embedded';
import { ensureSecret, type HomeFolder } from '../home';
import type { DatabaseUrls } from './database-names';
import { dropDatabases, ensureDatabases } from './ensure-databases';

/** The databases of the platform, on the embedded server or on one of the user's. */
export interface RunningDatabases {
  urls: DatabaseUrls;
  /** What the databases run on, for people: `embedded PostgreSQL 18` or `PostgreSQL at host:port`. */
  description: string;
  /** Resolves when an embedded server ends that nobody stopped. Never for an external one. */
  lost: Promise<void>;
  stop(): Promise<void>;
}

/** Small shared memory: the whole platform is to fit a laptop. Durability stays as PostgreSQL ships it (fsync, synchronous_commit on). */
const settings = ['shared_buffers=64MB', 'wal_compression=on', 'max_wal_size=512MB', 'jit=off', 'autovacuum_max_workers=2'];

/** Uses the server at `url`. */
export async function useExternalDatabases(url: string, isFresh: boolean): Promise<RunningDatabases> {
  if (isFresh) await dropDatabases(url);
  const urls = await ensureDatabases({ url });
  const description = `PostgreSQL at ${new URL(url).host}`;
  return { urls, description, lost: new Promise(() => undefined), stop: () => Promise.resolve() };
}

/** Starts the embedded server on the home folder's data; a server that an earlier start left behind is stopped first. */
export async function startEmbeddedDatabases(home: HomeFolder, port?: number): Promise<RunningDatabases & { port: number }> {
  await stopAbandonedPostgres(home.postgres);
  const password = ensureSecret(home, 'postgres-password');
  const server = await startEmbeddedPostgres({ dataDir: home.postgres, password, endsWithParent: true, settings, port });
  const urls = await ensureDatabases({ url: server.url, passwordOf: owner => ensureSecret(home, `postgres-password-${owner}`) });
  return { urls, port: server.port, description: 'embedded PostgreSQL 18', ...lifeOf(server) };
}

function lifeOf(server: EmbeddedPostgres): Pick<RunningDatabases, 'lost' | 'stop'> {
  let isStopping = false;
  const lost = new Promise<void>(resolve => server.process.once('exit', () => (isStopping ? undefined : resolve())));
  return {
    lost,
    stop: () => {
      isStopping = true;
      return server.stop();
    },
  };
}
