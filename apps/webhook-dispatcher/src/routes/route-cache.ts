import type { Route } from '@paycode/dto';
import { DataFault, FlushQueue, isolate } from '@paycode/persistence';
import type { Clock } from '@paycode/service-runtime/timing';
import type { RouteSource } from './route-source.client';

/** The route of a merchant cannot be read now: a fault of the platform, not of the receiver (P-T8). */
export class RouteUnavailableError extends Error {
  override readonly name = 'RouteUnavailableError';
  readonly code = 'ROUTES_UNAVAILABLE';
}

export interface RouteCacheOptions {
  /** URL below which each path segment is a receiver of its own: that of a sandbox's relays. Default: none. */
  relaysUrl?: string | undefined;
}

interface Leased {
  route: Route;
  origin: string;
  /**
   * Monotonic end of the lease, counted from before the request was sent, so that it never ends later than notification-config
   * assumes.
   */
  untilMs: number;
}

const routesPerCallMax = 1_000;
const routesKeptMax = 50_000;

/**
 * Routes under a lease. A request may only start inside the lease of its route, so that all replicas use a renewed key or a
 * corrected URL when the change has been answered (P-I11, A-10).
 */
export class RouteCache {
  private readonly leased = new Map<number, Leased>();
  /** Routes that `learn` is reading again; settled when the answer is kept. */
  private readonly renewing = new Map<number, Promise<unknown>>();
  private readonly reads: FlushQueue<number, Route | Error>;

  constructor(
    private readonly source: RouteSource,
    private readonly clock: Clock,
    private readonly options: RouteCacheOptions = {},
  ) {
    this.reads = new FlushQueue(merchantIds => this.read(merchantIds), { flushMax: routesPerCallMax, queueMax: 100_000 });
  }

  /** The last known endpoint, however old: use it to choose a queue, never to send. */
  lastOrigin(merchantId: number): string | undefined {
    return this.leased.get(merchantId)?.origin;
  }

  /** The PSP of the merchant, as last read; null: not known. */
  lastPspId(merchantId: number): number | null {
    return this.leased.get(merchantId)?.route.pspId ?? null;
  }

  /** The route if its lease is valid now. */
  leasedNow(merchantId: number): Route | undefined {
    const leased = this.leased.get(merchantId);
    return leased && this.clock.nowMs() < leased.untilMs ? leased.route : undefined;
  }

  /** The route under a valid lease; reads it again if necessary. @throws RouteUnavailableError */
  async current(merchantId: number): Promise<Route> {
    if (!this.leasedNow(merchantId)) await this.renewing.get(merchantId);
    const leased = this.leasedNow(merchantId);
    if (leased) return leased;
    const [route] = await this.reads.run([merchantId]);
    if (route instanceof Error) throw route;
    return route!;
  }

  /**
   * Reads the routes of new merchants, and begins to read those whose lease has run out, so that `current` waits less for them. It ignores
   * failures; `current` reports them.
   */
  async learn(merchantIds: Iterable<number>): Promise<void> {
    const ids = [...new Set(merchantIds)];
    // New ones first, because the events wait for these.
    const learning = this.reads.run(ids.filter(id => !this.leased.has(id)));
    this.renew(ids.filter(id => this.leased.has(id) && !this.leasedNow(id) && !this.renewing.has(id)));
    await learning;
  }

  private renew(merchantIds: readonly number[]): void {
    const done = () => merchantIds.forEach(id => this.renewing.delete(id));
    // `current` reads the missing routes again, and reports why it cannot.
    const reading = this.reads.run(merchantIds).then(done, done);
    for (const id of merchantIds) this.renewing.set(id, reading);
  }

  private async read(merchantIds: readonly number[]): Promise<(Route | Error)[]> {
    const askedMs = this.clock.nowMs();
    const faults = new Map<number, RouteUnavailableError>();
    let fault = new RouteUnavailableError('the lease of a route had run out when the answer came');
    const failed = (merchantId: number, cause: unknown) =>
      faults.set(merchantId, new RouteUnavailableError('the route of a merchant cannot be read', { cause }));
    const write = async (page: readonly number[]) => {
      const routes = new Map((await this.source.routes(page)).map(route => [route.merchantId, route]));
      for (const merchantId of page) {
        const route = routes.get(merchantId);
        if (route) this.keep(route, askedMs, failed);
        else failed(merchantId, new DataFault('the answer lacks the route of a merchant'));
      }
    };
    try {
      const pages = chunksOf([...new Set(merchantIds)], routesPerCallMax);
      await Promise.all(pages.map(page => isolate(page, { write, failed })));
    } catch (cause) {
      fault = new RouteUnavailableError('routes cannot be read', { cause });
    }
    return merchantIds.map(merchantId => this.leasedNow(merchantId) ?? faults.get(merchantId) ?? fault);
  }

  /** An unusable route fails for its merchant alone (T-29). */
  private keep(route: Route, askedMs: number, failed: (merchantId: number, cause: unknown) => void): void {
    const origin = this.readableOrigin(route);
    if (origin === undefined) return void failed(route.merchantId, new DataFault('the URL of a route cannot be read'));
    this.leased.delete(route.merchantId);
    this.leased.set(route.merchantId, { route, origin, untilMs: askedMs + route.leaseMs });
    // The map keeps the order of reading, so its first route is the one that was unused for longest.
    if (this.leased.size > routesKeptMax) this.leased.delete(this.leased.keys().next().value!);
  }

  private readableOrigin(route: Route): string | undefined {
    return route.url === null || URL.canParse(route.url) ? originOf(route, this.options) : undefined;
  }
}

/**
 * Name of the queue for this route: its endpoint. Merchants without a webhook share one queue. All relays of a sandbox have one origin and a listener
 * each, so each has a queue of its own: a listener that never answers takes no slot of another.
 */
export function originOf(route: Route, { relaysUrl }: RouteCacheOptions = {}): string {
  if (route.url === null) return 'none';
  const { href, origin } = new URL(route.url);
  if (relaysUrl === undefined || !href.startsWith(relaysUrl)) return origin;
  return relaysUrl + href.slice(relaysUrl.length).split(/[/?#]/, 1)[0]!;
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}
