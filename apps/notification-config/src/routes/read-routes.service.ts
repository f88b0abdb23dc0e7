import { Injectable } from '@nestjs/common';
import type { Route } from '@paycode/dto';
import { RouteLease } from './route-lease';
import { RouteStore } from './routes.ports';

/** Flow: merchant ids -> one query -> routes, each usable for the lease. */
@Injectable()
export class ReadRoutesService {
  constructor(
    private readonly store: RouteStore,
    private readonly lease: RouteLease,
  ) {}

  async read(merchantIds: readonly number[]): Promise<Route[]> {
    if (merchantIds.length === 0) return [];
    const routes = await this.store.routesOf([...new Set(merchantIds)]);
    return routes.map(route => ({ ...route, leaseMs: this.lease.leaseMs }));
  }
}
