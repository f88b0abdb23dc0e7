import type { Route } from '@paycode/dto';

export type StoredRoute = Omit<Route, 'leaseMs'>;

export abstract class RouteStore {
  /** One route for every merchant asked for; an unknown merchant has neither URL nor recipients. One query. */
  abstract routesOf(merchantIds: readonly number[]): Promise<StoredRoute[]>;
}
