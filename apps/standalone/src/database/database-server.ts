import { setTimeout as pause } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@paycode/persistence/embedded';
import { ensureSecret } from '../home/secrets';
import type { HomeFolder } from '../home/home-folder';
import { decideRestart } from '../processes/domain/restart-policy';
import type { DatabaseLogin, EnsuredDatabases } from './ensure-databases';
import { dropDatabases, ensureDatabases } from './ensure-databases';

/** The databases of the platform, on the embedded server or on one of the user's. */
export interface RunningDatabases extends EnsuredDatabases {
  /** Description of the server for people: `embedded PostgreSQL 18` or `PostgreSQL at host:port`. */
  description: string;
  /** Resolves with the reason when an embedded server cannot be kept running. Never for an external one. */
  lost: Promise<Error>;
  /** Removes the databases with all they hold. */
  discard(): Promise<void>;
  stop(): Promise<void>;
}

/** Small shared memory, so that the whole platform fits a laptop. Durability keeps PostgreSQL's defaults (fsync, synchronous_commit on). */
const settings = [
  'shared_buffers=32MB',
  'wal_compression=on',
  'max_wal_size=512MB',
  'jit=off',
  'autovacuum_max_workers=2',
  // Without processes that only wait: those that read ahead, and the one that would start subscribers of another server.
  'io_method=sync',
  'max_logical_replication_workers=0',
  // Only what is committed without waiting waits for it: offsets and heartbeats of the event log, which come again after a crash.
  'wal_writer_delay=1s',
];

/** Uses the server at `url`. */
export async function useExternalDatabases(url: string, isFresh: boolean): Promise<RunningDatabases> {
  if (isFresh) await dropDatabases(url);
  const databases = await ensureDatabases({ url });
  const description = `PostgreSQL at ${new URL(url).host}`;
  return {
    ...databases,
    description,
    lost: new Promise(() => undefined),
    discard: () => dropDatabases(url),
    stop: () => Promise.resolve(),
  };
}

/** Starts the embedded server on the home folder's data and keeps it running. */
export async function startEmbeddedDatabases(home: HomeFolder, say: (line: string) => void): Promise<RunningDatabases> {
  const password = ensureSecret(home, 'postgres-password');
  const options = { dataDir: home.postgres, password, endsWithParent: true, settings };
  const first = await startEmbeddedPostgres(options);
  const passwordOf = (login: DatabaseLogin): string => ensureSecret(home, `postgres-password-${login}`);
  const databases = await ensureDatabases({ url: first.url, passwordOf });
  const kept = new KeptServer(first, () => startEmbeddedPostgres({ ...options, port: first.port }), say);
  return {
    ...databases,
    description: 'embedded PostgreSQL 18',
    lost: kept.lost,
    discard: () => dropDatabases(first.url),
    stop: () => kept.stop(),
  };
}

/** The embedded server, started again on its port when it ends by itself. */
class KeptServer {
  readonly lost: Promise<Error>;
  private isStopping = false;
  private readonly endedAtMs: number[] = [];

  constructor(
    private server: EmbeddedPostgres,
    private readonly startAgain: () => Promise<EmbeddedPostgres>,
    private readonly say: (line: string) => void,
  ) {
    this.lost = this.keep();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.server.stop();
  }

  /** Restarts the server while that helps; resolves with the reason when it gives up. Never resolves while the server is being stopped. */
  private async keep(): Promise<Error> {
    for (;;) {
      await this.server.ended;
      if (this.isStopping) return new Promise(() => undefined);
      const decision = decideRestart(this.endedAtMs, performance.now());
      this.endedAtMs.push(performance.now());
      if (!decision.restart) return new Error(`PostgreSQL ends again and again: ${decision.reason}.`);
      this.say('PostgreSQL ended; starting it again');
      await pause(decision.afterMs);
      try {
        this.server = await this.startAgain();
      } catch (error) {
        return error as Error;
      }
      if (this.isStopping) await this.server.stop();
    }
  }
}
