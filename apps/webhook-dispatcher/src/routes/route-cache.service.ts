import type { Route } from '@paycode/dto';
import { DataFault, FlushQueue, isolate } from '@paycode/persistence';
import type { Clock } from '@paycode/timing';
import type { RouteSource } from './routes.ports';

/** The route of a merchant cannot be read now: our fault, not the receiver's (P-T8). */
export class RouteUnavailableError extends Error {
  override readonly name = 'RouteUnavailableError';
  readonly code = 'ROUTE_UNAVAILABLE';
}

interface Leased {
  route: Route;
  origin: string;
  /** Monotonic end of the lease, counted from before the question was asked: never longer than the owner of the route thinks. */
  untilMs: number;
}

const routesPerCallMax = 1_000;
const routesKeptMax = 50_000;

/**
 * Routes under a lease. A request may only start inside the lease of its route, so that a renewed key or a corrected URL is in force
 * everywhere once its change was answered (P-I11, A-10).
 */
export class RouteCache {
  private readonly leased = new Map<number, Leased>();
  private readonly reads: FlushQueue<number, Route | Error>;

  constructor(
    private readonly source: RouteSource,
    private readonly clock: Clock,
  ) {
    this.reads = new FlushQueue(merchantIds => this.read(merchantIds), { flushMax: routesPerCallMax, queueMax: 100_000 });
  }

  /** The endpoint as last seen, however long ago: good for choosing a queue, never for sending. */
  lastOrigin(merchantId: number): string | undefined {
    return this.leased.get(merchantId)?.origin;
  }

  /** The route if its lease is running at this very moment. */
  leasedNow(merchantId: number): Route | undefined {
    const leased = this.leased.get(merchantId);
    return leased && this.clock.nowMs() < leased.untilMs ? leased.route : undefined;
  }

  /** The route under a running lease, read again if need be. @throws RouteUnavailableError */
  async current(merchantId: number): Promise<Route> {
    const leased = this.leasedNow(merchantId);
    if (leased) return leased;
    const [route] = await this.reads.run([merchantId]);
    if (route instanceof Error) throw route;
    return route!;
  }

  /** Reads the routes of merchants never seen before. Failures are left to `current`. */
  async learn(merchantIds: Iterable<number>): Promise<void> {
    const unknown = [...new Set(merchantIds)].filter(merchantId => !this.leased.has(merchantId));
    if (unknown.length > 0) await this.reads.run(unknown);
  }

  private async read(merchantIds: readonly number[]): Promise<(Route | Error)[]> {
    const askedMs = this.clock.nowMs();
    const faults = new Map<number, RouteUnavailableError>();
    let fault = new RouteUnavailableError('the lease of a route was over when it was answered');
    const failed = (merchantId: number, cause: unknown) =>
      faults.set(merchantId, new RouteUnavailableError('the route of a merchant cannot be read', { cause }));
    const write = async (page: readonly number[]) => {
      const routes = new Map((await this.source.routes(page)).map(route => [route.merchantId, route]));
      for (const merchantId of page) {
        const route = routes.get(merchantId);
        if (route) this.keep(route, askedMs, failed);
        else failed(merchantId, new DataFault('no route was answered'));
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

  /** A route that cannot be used is that merchant's fault alone (T-29). */
  private keep(route: Route, askedMs: number, failed: (merchantId: number, cause: unknown) => void): void {
    const origin = readableOrigin(route);
    if (origin === undefined) return void failed(route.merchantId, new DataFault('the URL of a route cannot be read'));
    this.leased.delete(route.merchantId);
    this.leased.set(route.merchantId, { route, origin, untilMs: askedMs + route.leaseMs });
    // Insertion order is order of reading: the first is the one that was not needed for longest.
    if (this.leased.size > routesKeptMax) this.leased.delete(this.leased.keys().next().value!);
  }
}

/** Queue that a delivery by this route waits in: its endpoint; merchants without a webhook share one. */
export function originOf(route: Route): string {
  return route.url === null ? 'none' : new URL(route.url).origin;
}

function readableOrigin(route: Route): string | undefined {
  return route.url === null || URL.canParse(route.url) ? originOf(route) : undefined;
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
