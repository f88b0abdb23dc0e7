import pg from 'pg';
import { DataSource, type DataSourceOptions, type ValueTransformer } from 'typeorm';

const defaultS = 5;
const maxS = 600;

/**
 * How long opening a connection may take, waiting for a free one of the pool included, in milliseconds: `connect_timeout` of the URL, in
 * whole seconds from 1 to 600 as in libpq, 5 without it. @throws Error that names the parameter, never the URL, which holds a password
 */
export function connectTimeoutMsOf(url: string): number {
  const text = /[?&]connect_timeout=([^&#]*)/.exec(url)?.[1] ?? String(defaultS);
  const seconds = Number(text);
  if (!/^\d{1,3}$/.test(text) || seconds < 1 || seconds > maxS) {
    throw new Error(`connect_timeout of the database URL: expected whole seconds from 1 to ${maxS}`);
  }
  return seconds * 1_000;
}

export interface ServiceDatabaseOptions {
  /** `postgres://user:password@host:port/database`; `?connect_timeout=` as in `connectTimeoutMsOf`. */
  url: string;
  /** PEM file with the authority of the server's certificate; read again for each connection, so that a renewed one counts. */
  caFile?: string | null;
  /** Shown in pg_stat_activity: the service's name. */
  applicationName: string;
  entities?: DataSourceOptions['entities'];
  migrations?: DataSourceOptions['migrations'];
  /** Upper bound of pooled connections. */
  poolMax?: number;
  /** Server-side limit per statement, in milliseconds. */
  statementTimeoutMs?: number;
}

/** How much longer than the server's limit of a statement an answer may take, in milliseconds. */
const answerMarginMs = 5_000;

/** Of the driver, for `query_timeout`. */
const noAnswer = 'Query read timeout';
/** SQLSTATE of a write on a server that is a standby, and of a statement that reached the server's limit. */
const notPrimary = new Set(['25006', '57014']);

/**
 * Ends when its server is the primary no more, so that the pool connects anew: an answer stays away for longer than `query_timeout`, a
 * write is refused, or a statement reaches its limit. A server that freezes or is cut off closes no connection, and TCP would wait a quarter
 * of an hour for it. A commit on a former primary waits for ever for a standby, and others wait for its locks.
 */
class PrimaryClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const watched = (...args: unknown[]) => {
      const answer = query(...args);
      if (answer instanceof Promise) answer.catch((error: Error & { code?: string }) => this.endAfter(error));
      return answer;
    };
    this.query = watched as typeof this.query;
  }

  private endAfter({ message, code = '' }: Error & { code?: string }): void {
    if (message === noAnswer || notPrimary.has(code)) void this.end();
  }
}

/** TypeORM options of a service database: no schema sync, migrations as classes, bounded pool and statements. */
export function dataSourceOptions(options: ServiceDatabaseOptions): DataSourceOptions {
  const { statementTimeoutMs = 30_000 } = options;
  return {
    type: 'postgres',
    // TypeORM would ask for it by a name that no bundler sees: an image holds no other packages than its bundle's.
    driver: pg,
    url: withAuthority(options),
    applicationName: options.applicationName,
    entities: options.entities ?? [],
    migrations: options.migrations ?? [],
    migrationsTransactionMode: 'each',
    synchronize: false,
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    poolSize: options.poolMax ?? 10,
    extra: {
      Client: PrimaryClient,
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + answerMarginMs,
      connectionTimeoutMillis: connectTimeoutMsOf(options.url),
      idleTimeoutMillis: 30_000,
      keepAlive: true,
    },
  };
}

/** The driver reads the file when it parses the URL, and an `ssl` setting beside a URL that says `sslmode` would not count. */
function withAuthority({ url, caFile }: ServiceDatabaseOptions): string {
  return caFile ? `${url}${url.includes('?') ? '&' : '?'}sslrootcert=${encodeURIComponent(caFile)}` : url;
}

/** Opens the pool. Throws when the database cannot be reached. */
export async function openDataSource(options: ServiceDatabaseOptions): Promise<DataSource> {
  return new DataSource(dataSourceOptions(options)).initialize();
}

/** For entities: converts a `bigint` column of ids below 2^53, which `pg` returns as text, to a number. */
export const exactInteger: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: string | null) => (value === null ? null : Number(value)),
};
