import { mayReadCookies, mayReadCredentials, upstreamOf } from './route-table';

describe('which service a path belongs to', () => {
  it.each([
    ['/authentication/login', 'auth-session'],
    ['/portal/restful/merchant/notification/addHttp', 'notification-config'],
    ['/pluto/purchase/notification/4711', 'webhook-dispatcher'],
    ['/pluto/purchase/notifications', 'portal'],
    ['/pluto/code/create', 'payment-simulator'],
    ['/pluto/remote/v4/lookup', 'payment-simulator'],
    ['/public/pay/0000000001', 'payment-simulator'],
    ['/console/', 'portal'],
    ['/console/api/session', 'portal'],
  ])('%s belongs to %s', (path, upstream) => {
    expect(upstreamOf(path)).toBe(upstream);
  });

  it.each(['/', '/internal/x', '/pluto/internal/x', '/metrics', '/health/live', '/public', '/publicity/x', '/code/create',
    '/portal/restful/merchant', '/console', '/consolex/', '/pluto/purchase/x', '/pluto/purchase/notifications/', '/pluto/purchase/notificationsx', '/authenticationx/login', '/jwks', '/api-docs'])('%s belongs to no service (T-27)', path => {
    expect(upstreamOf(path)).toBeUndefined();
  }); // prettier-ignore

  it('only pages of the portal see the cookies of browsers, not its interface for programs', () => {
    const paths = ['/console/', '/console/api/session', '/pluto/purchase/notifications', '/authentication/login'];
    expect(paths.filter(mayReadCookies)).toEqual(['/console/', '/console/api/session']);
  });

  it('only logout and renew read the credential itself (R-4.1-11)', () => {
    const paths = [
      '/authentication/logout',
      '/authentication/renew',
      '/authentication/login',
      '/authentication/logout/',
      '/pluto/code/create',
    ];
    expect(paths.filter(mayReadCredentials)).toEqual(['/authentication/logout', '/authentication/renew']);
  });
});
