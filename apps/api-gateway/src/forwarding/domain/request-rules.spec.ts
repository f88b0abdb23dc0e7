import { bodyTypeObjection, objectionTo, type RequestLine } from './request-rules';
import { mayReadCookies, mayReadCredentials, upstreamOf } from './route-table';

const json = ['Host', 'localhost:8443', 'Content-Type', 'application/json'];
const request = (change: Partial<RequestLine>): RequestLine => ({
  version: '1.1',
  method: 'POST',
  headers: json,
  announcedBytes: 1,
  ...change,
});
const statusOf = (change: Partial<RequestLine>) => objectionTo(request(change), 1_000)?.status;

describe('rules for a request before its caller is authorized', () => {
  it.each(['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"'])(
    'a body of type %j may pass (R-5.4-1)',
    type => {
      expect(statusOf({ headers: ['Content-Type', type] })).toBeUndefined();
    },
  );

  it.each([
    ...['text/plain', 'application/jsonp', 'application/json; charset=utf-16', 'application/json, text/plain', ''],
    'text/json',
  ])('a body of type %j is refused with 415 (R-5.4-1)', type => {
    expect(statusOf({ headers: ['Content-Type', type] })).toBe(415);
  });

  it('a body without a type is refused; a request without a body needs no type (R-5.4-1)', () => {
    expect(statusOf({ headers: [] })).toBe(415);
    expect(statusOf({ headers: [], announcedBytes: 0 })).toBeUndefined();
  });

  it('the type of a chunked body is checked after its chunks are read; an empty one needs none (R-5.4-1)', () => {
    expect(statusOf({ headers: [], announcedBytes: undefined })).toBeUndefined();
    expect(bodyTypeObjection([], 0)).toBeUndefined();
    expect(bodyTypeObjection([], 1)?.status).toBe(415);
  });

  it('a compressed body is refused, because no service decompresses it within the size limit', () => {
    expect(statusOf({ headers: [...json, 'Content-Encoding', 'gzip'] })).toBe(415);
  });

  it('the announced size is checked before the type', () => {
    expect(statusOf({ headers: [], announcedBytes: 1_001 })).toBe(413);
    expect(statusOf({ announcedBytes: 1_000 })).toBeUndefined();
  });

  it.each(['Content-Type', 'content-length', 'HOST', 'Transfer-Encoding'])(
    'a request with a second %s field is refused',
    name => {
      expect(statusOf({ headers: [...json, name, '1', name, '1'] })).toBe(400);
    },
  );

  it.each(['gzip, chunked', 'chunked, chunked', 'chunked;q=1', 'identity', 'chunke\u212a', ''])(
    'a transfer coding %j is not implemented (T-26)',
    coding => expect(statusOf({ headers: [...json, 'Transfer-Encoding', coding] })).toBe(501),
  );

  it('chunked, in upper or lower case, is the only coding', () => {
    expect(statusOf({ headers: [...json, 'Transfer-Encoding', 'Chunked'], announcedBytes: undefined })).toBeUndefined();
  });

  it.each(['TRACE', 'PROPFIND', 'M-SEARCH'])(
    'the gateway leaves it to the service whether a path takes method %j (A-71)',
    method => {
      expect(statusOf({ method })).toBeUndefined();
    },
  );

  it.each(['CONNECT', 'BREW', 'get', ''])('method %j is refused', method => {
    expect(statusOf({ method })).toBe(400);
  });

  it('HTTP/0.9 and chunks in HTTP/1.0 are refused, HTTP/1.0 without chunks may pass', () => {
    expect(statusOf({ version: '0.9', headers: [], announcedBytes: 0 })).toBe(400);
    expect(statusOf({ version: '1.0', headers: [...json, 'Transfer-Encoding', 'chunked'] })).toBe(400);
    expect(statusOf({ version: '1.0' })).toBeUndefined();
  });

  it.each(['evil.example/path', 'a b', 'x:123456', 'user@host', ''])('host %j is refused', host => {
    expect(statusOf({ headers: ['Host', host], announcedBytes: 0 })).toBe(400);
  });

  it('more than 100 header fields and control or non-ASCII characters in one are refused', () => {
    expect(statusOf({ headers: Array<string[]>(100).fill(['X-A', '1']).flat(), announcedBytes: 0 })).toBeUndefined();
    expect(statusOf({ headers: Array<string[]>(101).fill(['X-A', '1']).flat(), announcedBytes: 0 })).toBe(400);
    expect(statusOf({ headers: ['X-A', 'caf\u00e9'], announcedBytes: 0 })).toBe(400);
    expect(statusOf({ headers: ['X-A', 'a\u0001'], announcedBytes: 0 })).toBe(400);
  });
});

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
      ...['/authentication/logout', '/authentication/renew', '/authentication/login', '/authentication/logout/'],
      '/pluto/code/create',
    ];
    expect(paths.filter(mayReadCredentials)).toEqual(['/authentication/logout', '/authentication/renew']);
  });
});
