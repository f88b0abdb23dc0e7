export { HttpRouteSourceClient } from './clients/http-route-source.client';
export { RouteBook } from './route-book.service';
export { RouteSource } from './routes.ports';
