import { MerchantTenants } from '@paycode/access';
import { DomainError } from '@paycode/service-runtime';
import type { RouteCache } from './route-cache';

/** PSPs of merchants, as the routes name them. A route names no acquirer, so people of acquirers are refused: they read no notification. */
export class RouteTenants extends MerchantTenants {
  constructor(private readonly routes: Pick<RouteCache, 'current'>) {
    super();
  }

  /** @throws DomainError 503 */
  override async tenantsOf(merchantId: number): Promise<{ pspId: number | null; acquirer: null }> {
    const route = await this.routes.current(merchantId).catch((cause: unknown) => {
      const message = 'whose merchant this is cannot be read now: ask again in a moment';
      throw new DomainError({ status: 503, reason: 'ROUTE_UNAVAILABLE', message, cause });
    });
    return { pspId: route.pspId, acquirer: null };
  }
}
