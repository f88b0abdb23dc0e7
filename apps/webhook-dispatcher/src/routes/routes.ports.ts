import type { Route } from '@paycode/dto';

/** The notification-config's routes. */
export abstract class RouteSource {
  abstract routes(merchantIds: readonly number[]): Promise<Route[]>;
}
