/** The services behind the gateway. */
export type UpstreamName = 'auth-session' | 'notification-config' | 'webhook-dispatcher' | 'payment-simulator' | 'portal';

/** The documented prefixes (spec 4), each ending in `/`, and paths as a whole. Nothing else leaves the gateway: no `/internal`, `/health`, `/metrics` (T-27). */
const routes: readonly (readonly [route: string, upstream: UpstreamName])[] = [
  ['/authentication/', 'auth-session'],
  ['/portal/restful/merchant/notification/', 'notification-config'],
  ['/pluto/purchase/notification/', 'webhook-dispatcher'],
  ['/pluto/purchase/notifications', 'portal'],
  ['/pluto/code/', 'payment-simulator'],
  ['/pluto/remote/', 'payment-simulator'],
  ['/public/', 'payment-simulator'],
  ['/console/', 'portal'],
];

/** The service a normalised path belongs to; undefined when it belongs to none (404 once the caller is authorized). */
export function upstreamOf(path: string): UpstreamName | undefined {
  return routes.find(([route]) => path === route || (route.endsWith('/') && path.startsWith(route)))?.[1];
}

/** Whether a request pays a code: it goes before those that begin something, because it finishes what the platform has worked for. */
export function endsPayment(method: string, path: string): boolean {
  return method === 'POST' && path.startsWith('/public/pay/');
}

/** The portal's pages alone keep sessions of browsers: nothing else sees their cookies. */
export function mayReadCookies(path: string): boolean {
  return path.startsWith('/console/');
}

/** Mail programs send a form there to end alerts by e-mail (RFC 8058). */
export function takesForms(path: string): boolean {
  return path.startsWith('/console/api/alerts/stop/');
}

/** Whether the endpoint reads the token from the header itself (section 4.1); no other service gets a client's credentials. */
export function mayReadCredentials(path: string): boolean {
  return path === '/authentication/logout' || path === '/authentication/renew';
}
