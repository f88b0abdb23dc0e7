export { HttpRouteSourceClient } from './clients/http-route-source.client';
export { RouteCache } from './route-cache.service';
export { RouteSource } from './routes.ports';
