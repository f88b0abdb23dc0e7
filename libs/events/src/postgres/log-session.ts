import { connectTimeoutMsOf } from '@paycode/persistence';
import { backoffMs, pauseFor } from '@paycode/service-runtime/timing';
import { Client, type QueryResult, type QueryResultRow } from 'pg';
import type { TransportLog } from '../event-transport';

/** Statements of a session: locks of members, announcements to groups. */
const sessionSql = {
  hold: 'select pg_try_advisory_lock($1, $2) as held',
  letGo: 'select pg_advisory_unlock($1, $2)',
  notify: "select pg_notify(channel, '') from unnest($1::text[]) channel",
} as const;

export interface LogSessionOptions {
  url: string;
  applicationName: string;
  log: TransportLog;
  /** A notification on this channel; without one: some may have been missed. */
  onNotification(channel?: string): void;
}

export interface SessionQuery {
  name?: string;
  text: string;
  values?: unknown[];
}

/** First key of the advisory locks that group members hold while they are alive. */
export const memberLockClass = 0x70_61_79;
const reconnectLimits = { firstMs: 100, maxMs: 5_000 };

/**
 * The single long-lived connection of a transport. It listens, sends the heartbeats, and holds the advisory locks, which PostgreSQL
 * releases when the process dies. It reconnects by itself; while it is down, queries reject.
 *
 * It listens to the channels of its subscriptions alone, so that a process is not woken by events that it does not read.
 */
export class LogSession {
  private client?: Client;
  private readonly heldLocks = new Set<number>();
  private readonly channels = new Set<string>();
  private readonly toNotify = new Set<string>();
  private readonly closing = new AbortController();
  private isNotifying = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: LogSessionOptions) {}

  /** Whether the session is connected, so that notifications arrive. */
  get isUp(): boolean {
    return this.client !== undefined;
  }

  async open(): Promise<void> {
    this.client = await this.connect();
  }

  /** From when it resolves, and again after each reconnection, until the session is closed. `channel`: letters, digits and `_`. */
  async listen(channel: string): Promise<void> {
    if (this.channels.has(channel)) return;
    this.channels.add(channel);
    await this.query({ text: `listen ${channel}` });
  }

  /** One statement at a time, in order of the calls. */
  query<R extends QueryResultRow>(query: SessionQuery): Promise<QueryResult<R>> {
    const answer = this.last.then(() => this.run<R>(query));
    // The caller gets the error; the next statement only waits for its turn.
    this.last = answer.catch(() => undefined);
    return answer;
  }

  private async run<R extends QueryResultRow>(query: SessionQuery): Promise<QueryResult<R>> {
    const client = this.client;
    if (!client) throw new Error('event log session is down');
    try {
      return await client.query<R>(query);
    } catch (error) {
      // There was no answer in time and no error of the server, so the connection may be dead. Ending the client makes the session reconnect.
      if (error instanceof Error && !('code' in error)) void client.end();
      throw error;
    }
  }

  /** Takes the member's lock unless this session has it already. False while an older session of this process still holds it. */
  async hold(lockKey: number): Promise<boolean> {
    if (this.heldLocks.has(lockKey)) return true;
    const { rows } = await this.query<{ held: boolean }>({ text: sessionSql.hold, values: [memberLockClass, lockKey] });
    if (rows[0]?.held) this.heldLocks.add(lockKey);
    return rows[0]?.held ?? false;
  }

  async letGo(lockKey: number): Promise<void> {
    if (this.heldLocks.delete(lockKey)) {
      await this.query({ text: sessionSql.letGo, values: [memberLockClass, lockKey] });
    }
  }

  /** Wakes listeners soon. It is best effort: a listener that misses it polls. Notifications given during a send are sent together. */
  notify(channel: string): void {
    this.toNotify.add(channel);
    if (!this.isNotifying) void this.sendNotifications();
  }

  async close(): Promise<void> {
    this.closing.abort();
    const client = this.client;
    this.client = undefined;
    await client?.end();
  }

  private async sendNotifications(): Promise<void> {
    this.isNotifying = true;
    while (this.toNotify.size > 0) {
      const values = [[...this.toNotify]];
      this.toNotify.clear();
      try {
        await this.query({ name: 'event-notify', text: sessionSql.notify, values });
      } catch (error) {
        if (!this.closing.signal.aborted) this.options.log.warn({ err: error }, 'event notification failed; consumers poll');
      }
    }
    this.isNotifying = false;
  }

  private async connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.options.url,
      application_name: this.options.applicationName,
      connectionTimeoutMillis: connectTimeoutMsOf(this.options.url),
      statement_timeout: 10_000,
      query_timeout: 15_000,
      keepAlive: true,
      // After a server crash heartbeats, notifications and locks are useless, so they need not wait for the disk.
      options: '-c synchronous_commit=off -c plan_cache_mode=force_generic_plan',
    });
    client.on('notification', ({ channel }) => this.options.onNotification(channel));
    let isUp = false;
    client.on('error', error => this.options.log.warn({ err: error }, 'event log session failed'));
    client.on('end', () => isUp && this.reconnect(client));
    await client.connect();
    if (this.channels.size > 0) await client.query([...this.channels].map(channel => `listen ${channel}`).join('; '));
    isUp = true;
    return client;
  }

  private reconnect(ended: Client): void {
    if (this.client !== ended) return;
    this.client = undefined;
    this.heldLocks.clear();
    // From now on notifications are missed, so the subscribers poll.
    this.options.onNotification();
    void this.untilConnected();
  }

  private async untilConnected(): Promise<void> {
    const { signal } = this.closing;
    for (let failures = 1; !signal.aborted; failures++) {
      await pauseFor(backoffMs(failures, reconnectLimits), signal);
      if (signal.aborted) return;
      try {
        const client = await this.connect();
        if (signal.aborted) return await client.end();
        this.client = client;
        // Notifications during the outage were missed.
        return this.options.onNotification();
      } catch (error) {
        this.options.log.warn({ attempt: failures, err: error }, 'event log session cannot connect');
      }
    }
  }
}
