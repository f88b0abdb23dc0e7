import { requestTargetOf } from '@paycode/safe-http';
import { BoundedMap, type Clock } from '@paycode/service-runtime/timing';
import type { buildConnector } from 'undici';
import type { Connection } from '../deliveries/domain/delivery';
import { lineNameOf, type OwnLine } from '../routes/route-cache';
import { OriginConnection } from './origin-connection';
import { OriginPool } from './origin-pool';
import { type Connecting, type ConnectObserver, type PostObserver, WebhookPoster, type WebhookRequest } from './post-webhook';

export interface UndiciWebhookOptions {
  /** Connects to checked addresses only (T-11). */
  connect: buildConnector.connector;
  /** As `connect`, and shows the platform's certificate. Default: `connect`. */
  connectWithCertificate?: buildConnector.connector;
  isOurFault(error: unknown): boolean;
  clock: Clock;
  /** Begins to watch the event loop; the function that it returns answers whether the process was the bottleneck since then. Default: never. */
  watchLoop?(): () => boolean;
}

const slowMax = 10_000;

/**
 * Sends webhook POSTs over undici connections, one request at a time on each. Each endpoint has its own pool, and each merchant whose server tells it by a
 * credential or certificate has one for itself. The most recently used
 * connection is used first, so idle ones time out. One that is too old, or had an answer other than 200, is closed, so that a receiver that
 * moved is looked up again (P-T12).
 */
export class UndiciWebhookClient extends WebhookPoster {
  private readonly pools = new Map<string, OriginPool<OriginConnection>>();
  /** Endpoints whose last connections took too long. */
  private readonly slow = new BoundedMap<string, true>(slowMax);
  private readonly busy = new Set<OriginConnection>();
  private readonly dialing = { count: 0 };
  private becameIdle: (line: string) => void = () => undefined;

  constructor(private readonly options: UndiciWebhookOptions) {
    super();
  }

  get connections(): { idle: number; busy: number } {
    return { idle: [...this.pools.values()].reduce((sum, pool) => sum + pool.idleCount, 0), busy: this.busy.size };
  }

  /** Sets the listener for connections that become free. */
  onIdle(listener: (line: string) => void): void {
    this.becameIdle = listener;
  }

  idleOf(line: string): number {
    return this.pools.get(line)?.free ?? 0;
  }

  override take(url: string, own?: OwnLine): ReservedConnection | undefined {
    const line = lineTo(url, own);
    const pool = this.pools.get(line.name);
    const connection = pool?.take();
    return connection && this.reserved(line, connection, () => pool!.usedTaken());
  }

  override connect(url: string, observer: ConnectObserver, own?: OwnLine): Connecting {
    const line = lineTo(url, own);
    const wasBusy = this.options.watchLoop?.() ?? (() => false);
    const giveUp = this.poolOf(line).wait({
      connected: connection => observer.connected(this.reserved(line, connection)),
      failed: fault => observer.failed(fault),
    });
    return { giveUp: () => giveUp() || wasBusy() };
  }

  override post(request: WebhookRequest, observer: PostObserver & { done(): void }, connection?: Connection): { abort(): void } {
    const line = lineTo(request.url, request.own);
    const used = this.connectionFor(request, line, connection);
    this.busy.add(used);
    used.post(request, requestTargetOf(request.url, new URL(request.url)), {
      sent: () => observer.sent(),
      answered: status => observer.answered(status),
      failed: fault => observer.failed(fault),
      onFree: isReusable => {
        this.busy.delete(used);
        if (isReusable) this.keep(line, used);
        else used.destroy();
        observer.done();
        if (isReusable) this.becameIdle(line.name);
      },
    });
    return { abort: () => used.destroy() };
  }

  /** Drops every connection, those in use too. */
  close(): void {
    for (const connection of this.busy) connection.destroy();
    for (const pool of this.pools.values()) pool.destroy();
    this.pools.clear();
  }

  /** The given one is of another line when the merchant's credential has changed since: it goes back, because others may use it. */
  private connectionFor(
    { url, own, onFreshSocket }: WebhookRequest,
    line: Line,
    given: Connection | undefined,
  ): OriginConnection {
    if (given instanceof ReservedConnection && given.line === line.name && !onFreshSocket) return given.use();
    given?.giveBack();
    const free = onFreshSocket ? undefined : this.take(url, own);
    return free ? free.use() : this.open(line);
  }

  private reserved(line: Line, connection: OriginConnection, used?: () => void): ReservedConnection {
    return new ReservedConnection(line.name, connection, { used, back: () => this.keep(line, connection) });
  }

  private poolOf(line: Line): OriginPool<OriginConnection> {
    let pool = this.pools.get(line.name);
    if (!pool) this.pools.set(line.name, (pool = this.newPool(line)));
    return pool;
  }

  private newPool(line: Line): OriginPool<OriginConnection> {
    const { name } = line;
    return new OriginPool({
      clock: this.options.clock,
      create: () => this.open(line),
      dialing: this.dialing,
      isSlow: this.slow.has(name),
      onSlow: isSlow => (isSlow ? this.slow.set(name, true) : this.slow.delete(name)),
      onLeft: () => {
        if (this.pools.get(name)?.isEmpty) this.pools.delete(name);
      },
    });
  }

  private open({ name, origin, own }: Line): OriginConnection {
    const { connect: plain, connectWithCertificate = plain } = this.options;
    const connect = own?.hasClientCertificate ? connectWithCertificate : plain;
    return new OriginConnection(origin, { ...this.options, connect, onGone: gone => this.pools.get(name)?.forget(gone) });
  }

  private keep(line: Line, connection: OriginConnection): void {
    const pool = this.poolOf(line);
    pool.keep(connection);
    if (pool.isEmpty) this.pools.delete(line.name);
  }
}

/** Connections that may serve each other's requests. */
interface Line {
  name: string;
  origin: string;
  own: OwnLine | undefined;
}

function lineTo(url: string, own: OwnLine | undefined): Line {
  const { origin } = new URL(url);
  return { name: lineNameOf(origin, own), origin, own };
}

/** A connection for one delivery: used once, or given back once. */
class ReservedConnection implements Connection {
  private isOver = false;

  constructor(
    readonly line: string,
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
