import { connectTimeoutMsOf } from '@paycode/persistence';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';

/** First key of the locks by which replicas show that they are alive. */
const livenessLockClass = 0x6c_69_66;

/** The second key: the last part of a replica's id. If two were alike, one of them would be judged by its heartbeat alone. */
const lockKeyOf = (id: string) => `('x' || right(${id}::text, 8))::bit(32)::int`;

/** The locks by which replicas show that they are alive (P-T11). They fall with the connection that took them. */
export const livenessSql = {
  hold: `select pg_try_advisory_lock(${livenessLockClass}, ${lockKeyOf('$1::uuid')}) as held`,
  isHeld: (id: string) => `exists (
    select from held_locks where held_locks.objid = ${lockKeyOf(id)}::oid)`,
  // Read once per statement: pg_locks stops all lock traffic of the server for the moment of its copy.
  heldLocks: `held_locks as materialized (
    select objid from pg_locks
     where locktype = 'advisory' and classid = ${livenessLockClass}::oid and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database()))`,
} as const;

export interface LivenessSessionOptions {
  /** Of the service's database, as its pool has it. */
  url: string;
  applicationName: string;
  /** Receives why the session ended or cannot begin. It begins again by itself. */
  failed(error: Error): void;
}

/**
 * The connection on which a replica holds the lock that shows that it is alive. PostgreSQL drops the lock when the connection ends, so
 * others detect at once that a process was killed (P-T11). Nothing waits for the session: without one, the replica is judged by its
 * heartbeat alone.
 */
export class LivenessSession {
  private client: Client | undefined;
  private begun = 0;
  private isBeginning = false;
  private isClosed = false;
  private standingAs: number | undefined;
  private endedCount = 0;

  constructor(private readonly options: LivenessSessionOptions) {}

  /** On the database of a pool, beside it. */
  static besides({ options }: DataSource, failed: LivenessSessionOptions['failed']): LivenessSession {
    const { url, applicationName } = options as { url?: string; applicationName?: string };
    if (url === undefined) throw new Error('a liveness session needs a data source with a url');
    return new LivenessSession({ url, applicationName: applicationName ?? 'paycode', failed });
  }

  /** Numbers the session that stands and holds the lock; another one after each that ended. */
  get standing(): number | undefined {
    return this.standingAs;
  }

  /** How many sessions have ended. */
  get ended(): number {
    return this.endedCount;
  }

  /** Begins a session for the replica if none stands. Does not wait for it. */
  keep(replica: string): void {
    if (this.isClosed || this.isBeginning || this.standingAs !== undefined) return;
    this.isBeginning = true;
    void this.begin(replica)
      .catch((error: Error) => this.options.failed(error))
      .finally(() => (this.isBeginning = false));
  }

  /** Ends the session, because the server does not show its lock. */
  drop(): void {
    const ended = this.client;
    this.forget();
    ended?.end().catch((error: Error) => this.options.failed(error));
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const ended = this.client;
    this.forget();
    await ended?.end();
  }

  private async begin(replica: string): Promise<void> {
    const { url, applicationName, failed } = this.options;
    const client = new Client({
      connectionString: url,
      application_name: `${applicationName} liveness`,
      connectionTimeoutMillis: connectTimeoutMsOf(url),
      statement_timeout: 10_000,
      query_timeout: 15_000,
      keepAlive: true,
    });
    client.on('error', failed);
    client.on('end', () => {
      if (this.client !== client) return;
      this.forget();
      this.keep(replica);
    });
    // Not held: the server has not noticed yet that an earlier session of this process ended. The next heartbeat tries again.
    if (!(await held(client, replica)) || this.isClosed) return client.end();
    this.client = client;
    this.standingAs = ++this.begun;
  }

  private forget(): void {
    if (this.client) this.endedCount++;
    this.client = undefined;
    this.standingAs = undefined;
  }
}

/** Whether the client has the lock now. One that could not ask ends, or each heartbeat would leave a connection behind. */
async function held(client: Client, replica: string): Promise<boolean> {
  try {
    await client.connect();
    return (await client.query<{ held: boolean }>(livenessSql.hold, [replica])).rows[0]?.held ?? false;
  } catch (error) {
    // The caller hears why it could not ask; a connection that is broken has no better end.
    client.end().catch(() => undefined);
    throw error;
  }
}
