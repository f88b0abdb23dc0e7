import { requestTargetOf } from '@paycode/safe-http';
import { BoundedMap, type Clock } from '@paycode/service-runtime/timing';
import type { buildConnector } from 'undici';
import type { Connection } from '../deliveries/domain/delivery';
import { OriginConnection } from './origin-connection';
import { OriginPool } from './origin-pool';
import { type Connecting, type ConnectObserver, type PostObserver, WebhookPoster, type WebhookRequest } from './post-webhook';

export interface UndiciWebhookOptions {
  /** Connects to checked addresses only (T-11). */
  connect: buildConnector.connector;
  isOurFault(error: unknown): boolean;
  clock: Clock;
  /** Begins to watch the event loop; the function that it returns answers whether the process was the bottleneck since then. Default: never. */
  watchLoop?(): () => boolean;
}

const slowMax = 10_000;

/**
 * Sends webhook POSTs over undici connections, one request at a time on each. Each endpoint has its own pool. The most recently used
 * connection is used first, so idle ones time out. One that is too old, or had an answer other than 200, is closed, so that a receiver that
 * moved is looked up again (P-T12).
 */
export class UndiciWebhookClient extends WebhookPoster {
  private readonly pools = new Map<string, OriginPool<OriginConnection>>();
  /** Endpoints whose last connections took too long. */
  private readonly slow = new BoundedMap<string, true>(slowMax);
  private readonly busy = new Set<OriginConnection>();
  private readonly dialing = { count: 0 };
  private becameIdle: (origin: string) => void = () => undefined;

  constructor(private readonly options: UndiciWebhookOptions) {
    super();
  }

  get connections(): { idle: number; busy: number } {
    return { idle: [...this.pools.values()].reduce((sum, pool) => sum + pool.idleCount, 0), busy: this.busy.size };
  }

  /** Sets the listener for connections that become free. */
  onIdle(listener: (origin: string) => void): void {
    this.becameIdle = listener;
  }

  idleOf(origin: string): number {
    return this.pools.get(origin)?.free ?? 0;
  }

  override take(url: string): ReservedConnection | undefined {
    const { origin } = new URL(url);
    const pool = this.pools.get(origin);
    const connection = pool?.take();
    return connection && this.reserved(origin, connection, () => pool!.usedTaken());
  }

  override connect(url: string, observer: ConnectObserver): Connecting {
    const { origin } = new URL(url);
    const wasBusy = this.options.watchLoop?.() ?? (() => false);
    const giveUp = this.poolOf(origin).wait({
      connected: connection => observer.connected(this.reserved(origin, connection)),
      failed: fault => observer.failed(fault),
    });
    return { giveUp: () => giveUp() || wasBusy() };
  }

  override post(request: WebhookRequest, observer: PostObserver & { done(): void }, connection?: Connection): { abort(): void } {
    const url = new URL(request.url);
    const { origin } = url;
    const line = this.lineFor(request, origin, connection);
    this.busy.add(line);
    line.post(request, requestTargetOf(request.url, url), {
      sent: () => observer.sent(),
      answered: status => observer.answered(status),
      failed: fault => observer.failed(fault),
      onFree: isReusable => {
        this.busy.delete(line);
        if (isReusable) this.keep(origin, line);
        else line.destroy();
        observer.done();
        if (isReusable) this.becameIdle(origin);
      },
    });
    return { abort: () => line.destroy() };
  }

  /** Drops every connection, those in use too. */
  close(): void {
    for (const connection of this.busy) connection.destroy();
    for (const pool of this.pools.values()) pool.destroy();
    this.pools.clear();
  }

  private lineFor({ url, onFreshSocket }: WebhookRequest, origin: string, given: Connection | undefined): OriginConnection {
    const connection = onFreshSocket ? undefined : (given ?? this.take(url));
    return connection instanceof ReservedConnection ? connection.use() : this.open(origin);
  }

  private reserved(origin: string, connection: OriginConnection, used?: () => void): ReservedConnection {
    return new ReservedConnection(connection, { used, back: () => this.keep(origin, connection) });
  }

  private poolOf(origin: string): OriginPool<OriginConnection> {
    let pool = this.pools.get(origin);
    if (!pool) this.pools.set(origin, (pool = this.newPool(origin)));
    return pool;
  }

  private newPool(origin: string): OriginPool<OriginConnection> {
    return new OriginPool({
      clock: this.options.clock,
      create: () => this.open(origin),
      dialing: this.dialing,
      isSlow: this.slow.has(origin),
      onSlow: isSlow => (isSlow ? this.slow.set(origin, true) : this.slow.delete(origin)),
      onLeft: () => {
        if (this.pools.get(origin)?.isEmpty) this.pools.delete(origin);
      },
    });
  }

  private open(origin: string): OriginConnection {
    return new OriginConnection(origin, { ...this.options, onGone: gone => this.pools.get(origin)?.forget(gone) });
  }

  private keep(origin: string, connection: OriginConnection): void {
    const pool = this.poolOf(origin);
    pool.keep(connection);
    if (pool.isEmpty) this.pools.delete(origin);
  }
}

/** A connection for one delivery: used once, or given back once. */
class ReservedConnection implements Connection {
  private isOver = false;

  constructor(
    private readonly connection: OriginConnection,
    private readonly on: { used: (() => void) | undefined; back(): void },
  ) {}

  use(): OriginConnection {
    this.isOver = true;
    this.on.used?.();
    return this.connection;
  }

  giveBack(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.on.used?.();
    this.on.back();
  }
}
