import type { InternalClient } from '@paycode/access';
import type { Route, RoutesRequest } from '@paycode/dto';

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
