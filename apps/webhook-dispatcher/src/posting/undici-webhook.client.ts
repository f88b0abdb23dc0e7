import type { Clock } from '@paycode/service-runtime/timing';
import type { buildConnector } from 'undici';
import { OriginConnection } from './origin-connection';
import { type PostObserver, WebhookPoster, type WebhookRequest } from './post-webhook';

export interface UndiciWebhookOptions {
  /** Connects to checked addresses only (T-11). */
  connect: buildConnector.connector;
  isOurFault(error: unknown): boolean;
  clock: Clock;
}

/** Idle connections kept per endpoint; more are closed as they become free. */
const idlePerOriginMax = 512;

/**
 * Sends webhook POSTs over undici connections, one request at a time on each. Each endpoint has its own pool. The most recently used
 * connection is used first, so idle ones time out. One that is too old, or had an answer other than 200, is closed, so that a receiver that
 * moved is looked up again (P-T12).
 */
export class UndiciWebhookClient extends WebhookPoster {
  private readonly idle = new Map<string, OriginConnection[]>();
  private readonly busy = new Set<OriginConnection>();
  private becameIdle: (origin: string) => void = () => undefined;

  constructor(private readonly options: UndiciWebhookOptions) {
    super();
  }

  get connections(): { idle: number; busy: number } {
    return { idle: [...this.idle.values()].reduce((sum, pool) => sum + pool.length, 0), busy: this.busy.size };
  }

  /** Sets the listener for connections that become free. */
  onIdle(listener: (origin: string) => void): void {
    this.becameIdle = listener;
  }

  idleOf(origin: string): number {
    return this.idle.get(origin)?.length ?? 0;
  }

  override post(request: WebhookRequest, observer: PostObserver & { done(): void }): { abort(): void } {
    const { origin, pathname, search } = new URL(request.url);
    const connection = (request.onFreshSocket ? undefined : this.takeIdle(origin)) ?? this.open(origin);
    this.busy.add(connection);
    connection.post(request, pathname + search, {
      sent: () => observer.sent(),
      answered: status => observer.answered(status),
      failed: fault => observer.failed(fault),
      onFree: isReusable => {
        this.busy.delete(connection);
        if (isReusable) this.keep(origin, connection);
        else connection.destroy();
        observer.done();
        if (isReusable) this.becameIdle(origin);
      },
    });
    return { abort: () => connection.destroy() };
  }

  /** Drops every connection, those in use too. */
  close(): void {
    for (const connection of [...this.busy, ...[...this.idle.values()].flat()]) connection.destroy();
    this.idle.clear();
  }

  private takeIdle(origin: string): OriginConnection | undefined {
    const pool = this.idle.get(origin);
    for (let connection = pool?.pop(); connection; connection = pool?.pop()) {
      if (connection.isUsable) return connection;
      connection.destroy();
    }
    return undefined;
  }

  private open(origin: string): OriginConnection {
    const onGone = (gone: OriginConnection) => this.forget(origin, gone);
    return new OriginConnection(origin, { ...this.options, onGone });
  }

  private keep(origin: string, connection: OriginConnection): void {
    let pool = this.idle.get(origin);
    if (!pool) this.idle.set(origin, (pool = []));
    if (connection.isUsable && pool.length < idlePerOriginMax) pool.push(connection);
    else connection.destroy();
  }

  private forget(origin: string, connection: OriginConnection): void {
    const pool = this.idle.get(origin);
    const at = pool?.indexOf(connection) ?? -1;
    if (at < 0) return;
    pool!.splice(at, 1);
    connection.destroy();
    if (pool!.length === 0) this.idle.delete(origin);
  }
}
