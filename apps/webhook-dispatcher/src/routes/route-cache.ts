import type { InternalClient } from '@paycode/access';
import type { Route, RoutesRequest } from '@paycode/dto';
import { DataFault, isolate } from '@paycode/persistence';
import { type Clock, LeasedReads, type Lent } from '@paycode/service-runtime/timing';

/** The notification-config's routes. */
export abstract class RouteSource {
  abstract routes(merchantIds: readonly number[]): Promise<Route[]>;
}

/** `POST notification-config /internal/routes`. */
export class HttpRouteSourceClient extends RouteSource {
  constructor(private readonly client: InternalClient) {
    super();
  }

  override routes(merchantIds: readonly number[]): Promise<Route[]> {
    const request: RoutesRequest = { merchantIds: [...merchantIds] };
    return this.client.post<Route[]>('/internal/routes', request);
  }
}

/** The route of a merchant cannot be read now: a fault of the platform, not of the receiver (P-T8). */
export class RouteUnavailableError extends Error {
  override readonly name = 'RouteUnavailableError';
  readonly code = 'ROUTES_UNAVAILABLE';
}

export interface RouteCacheOptions {
  /** URL below which each path segment is a receiver of its own: that of a sandbox's relays. Default: none. */
  relaysUrl?: string | undefined;
}

interface Located {
  route: Route;
  origin: string;
}

const routesPerCallMax = 1_000;
const routesKeptMax = 50_000;
/** A busy notification-config may answer later than the lease. A delivery that was held back for that would wait for a second first. */
const readsPerRouteMax = 3;

/**
 * Routes under a lease. A request may only start inside the lease of its route, so that all replicas use a renewed key or a
 * corrected URL when the change has been answered (P-I11, A-10).
 */
export class RouteCache {
  private readonly reads: LeasedReads<number, Located>;
  /** Routes that `learn` is reading again; settled when the answer is kept. */
  private readonly renewing = new Map<number, Promise<unknown>>();

  constructor(
    private readonly source: RouteSource,
    clock: Pick<Clock, 'nowMs'>,
    private readonly options: RouteCacheOptions = {},
  ) {
    this.reads = new LeasedReads({
      read: merchantIds => this.read(merchantIds),
      nowMs: () => clock.nowMs(),
      keysPerRead: routesPerCallMax,
      readsMax: 1,
      keptMax: routesKeptMax,
    });
  }

  /** The last known endpoint, however old: use it to choose a queue, never to send. */
  lastOrigin(merchantId: number): string | undefined {
    return this.reads.last(merchantId)?.origin;
  }

  /** The merchants of these endpoints, as last known. It reads all routes: once a minute at most. */
  merchantsOf(origins: { has(origin: string): boolean }): { merchantId: number; origin: string }[] {
    return [...this.reads.all()].flatMap(([merchantId, { origin }]) => (origins.has(origin) ? [{ merchantId, origin }] : []));
  }

  /** Name of the connections that its next request will use, as last known: to wait for one of them. */
  lastLine(merchantId: number): string | undefined {
    const last = this.reads.last(merchantId);
    const own = last && last.route.url !== null ? ownLineOf(last.route) : undefined;
    return own ? lineNameOf(new URL(last!.route.url!).origin, own) : last?.origin;
  }

  /** The PSP of the merchant, as last read; null: not known. */
  lastPspId(merchantId: number): number | null {
    return this.reads.last(merchantId)?.route.pspId ?? null;
  }

  /** The payload version of the merchant, as last read; null: not known, or it has no webhook. */
  lastVersion(merchantId: number): string | null {
    return this.reads.last(merchantId)?.route.version ?? null;
  }

  /** The route if its lease is valid now. */
  leasedNow(merchantId: number): Route | undefined {
    return this.reads.leasedNow(merchantId)?.route;
  }

  /** The route under a valid lease; reads it again if necessary. @throws RouteUnavailableError */
  async current(merchantId: number): Promise<Route> {
    const known = this.leasedNow(merchantId);
    if (known) return known;
    await this.renewing.get(merchantId);
    for (let reads = 0; reads < readsPerRouteMax; reads++) {
      await this.reads.current(merchantId);
      const leased = this.leasedNow(merchantId);
      if (leased) return leased;
    }
    throw new RouteUnavailableError('the lease of a route had run out whenever the answer came');
  }

  /**
   * Reads the routes of new merchants, and begins to read those whose lease has run out, so that `current` waits less for them. It ignores
   * failures; `current` reports them.
   */
  async learn(merchantIds: Iterable<number>): Promise<void> {
    const ids = [...new Set(merchantIds)];
    // New ones first, because the events wait for these.
    const learning = this.reads.settled(ids.filter(id => !this.reads.last(id)));
    this.renew(ids.filter(id => this.reads.last(id) && !this.leasedNow(id) && !this.renewing.has(id)));
    await learning;
  }

  private renew(merchantIds: readonly number[]): void {
    const done = () => merchantIds.forEach(id => this.renewing.delete(id));
    // `current` reads the missing routes again, and reports why it cannot.
    const reading = this.reads.settled(merchantIds).then(done);
    for (const id of merchantIds) this.renewing.set(id, reading);
  }

  private async read(merchantIds: readonly number[]): Promise<Map<number, Lent<Located> | Error>> {
    const answers = new Map<number, Lent<Located> | Error>();
    const failed = (merchantId: number, cause: unknown) =>
      answers.set(merchantId, new RouteUnavailableError('the route of a merchant cannot be read', { cause }));
    const write = async (page: readonly number[]) => {
      const routes = new Map((await this.source.routes(page)).map(route => [route.merchantId, route]));
      for (const merchantId of page) {
        const route = routes.get(merchantId);
        const origin = route && this.readableOrigin(route);
        // An unusable route fails for its merchant alone (T-29).
        if (!route) failed(merchantId, new DataFault('the answer lacks the route of a merchant'));
        else if (origin === undefined) failed(merchantId, new DataFault('the URL of a route cannot be read'));
        else answers.set(merchantId, { value: { route, origin }, leaseMs: route.leaseMs });
      }
    };
    try {
      await isolate(merchantIds, { write, failed });
    } catch (cause) {
      throw new RouteUnavailableError('routes cannot be read', { cause });
    }
    return answers;
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

/** Connections that serve one merchant alone, because its server tells it by a credential or by the platform's certificate. */
export interface OwnLine {
  merchantId: number;
  /** Whether they show the platform's client certificate. */
  hasClientCertificate: boolean;
}

/** undefined: the merchant shares the connections of its origin. */
export function ownLineOf({ merchantId, sealedCredential, hasClientCertificate }: Route): OwnLine | undefined {
  return sealedCredential || hasClientCertificate ? { merchantId, hasClientCertificate } : undefined;
}

/** Name of the connections to an origin. A URL has no space, so no origin is called like a merchant's own line. */
export function lineNameOf(origin: string, own: OwnLine | undefined): string {
  return own ? `${origin} of ${own.merchantId}${own.hasClientCertificate ? ' with certificate' : ''}` : origin;
}
