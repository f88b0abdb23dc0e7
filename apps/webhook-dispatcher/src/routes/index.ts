export { HttpRouteSourceClient } from './clients/http-route-source.client';
export { RouteCache } from './route-cache';
export { RouteSource } from './routes.ports';
