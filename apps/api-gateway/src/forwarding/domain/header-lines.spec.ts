import { answerHeaders, forwardedHeaders, valuesOf } from './header-lines';

const facts = {
  identity: 'assertion',
  requestId: 'request-1',
  address: '192.0.2.1',
  isCredentialForwarded: false,
  isCookieForwarded: false,
};
const fields = (headers: string[]) =>
  Object.fromEntries(headers.flatMap((name, index) => (index % 2 ? [] : [[name, headers[index + 1]]])));

describe('the header fields that a service gets', () => {
  it('every line of a repeated field is read, in order (A-19)', () => {
    expect(valuesOf(['Authorization', 'Basic a', 'Host', 'x', 'AUTHORIZATION', 'Bearer b'], 'authorization')).toEqual([
      'Basic a',
      'Bearer b',
    ]);
  });

  it('forged identity and proxy fields are dropped whatever their case (T-26)', () => {
    const forged = [
      ...['X-PayCode-Identity', 'X-FORWARDED-FOR', 'X-Forwarded-Anything', 'Forwarded', 'X-Original-URI', 'X-Real-IP'],
      'X-HTTP-Method-Override',
    ];
    const seen = forwardedHeaders(
      forged.flatMap(name => [name, 'forged']),
      facts,
    );
    expect(seen).not.toContain('forged');
  });

  it('a service gets its fields in their order, then those that the gateway adds', () => {
    const own = ['x-request-id', 'request-1', 'x-forwarded-for', '192.0.2.1', 'x-forwarded-proto', 'https'];
    expect(forwardedHeaders(['Accept', '*/*', 'X-Own', '1'], facts)).toEqual([
      ...['accept', '*/*', 'x-own', '1'],
      ...own,
      ...['x-paycode-identity', 'assertion'],
    ]);
    expect(forwardedHeaders(['Host', 'pay.example'], { ...facts, identity: undefined })).toEqual([
      ...own,
      ...['x-forwarded-host', 'pay.example'],
    ]);
  });

  it('the identity field is absent, not empty, when none was asserted', () => {
    expect(fields(forwardedHeaders([], { ...facts, identity: undefined }))).toEqual({
      'x-request-id': 'request-1',
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-proto': 'https',
    });
  });

  it('naming the identity field in Connection does not remove the asserted one', () => {
    expect(fields(forwardedHeaders(['Connection', 'x-paycode-identity, close'], facts))['x-paycode-identity']).toBe('assertion');
  });

  it('the credential is forwarded only to routes that act on it', () => {
    const headers = ['Authorization', 'Bearer a.b.c'];
    expect(forwardedHeaders(headers, facts)).not.toContain('Bearer a.b.c');
    expect(forwardedHeaders(headers, { ...facts, isCredentialForwarded: true })).toContain('Bearer a.b.c');
  });

  it('an answer keeps repeated fields and loses hop-by-hop and internal ones', () => {
    expect(
      answerHeaders({
        'set-cookie': ['a=1', 'b=2'],
        'transfer-encoding': 'chunked',
        'x-paycode-debug': '1',
        connection: 'keep-alive, X-Temp',
        'x-temp': '1',
        etag: '"1"',
        allow: undefined,
      }),
    ).toStrictEqual({ 'set-cookie': ['a=1', 'b=2'], etag: '"1"' });
  });

  it('cookies reach the portal alone (T-52)', () => {
    const headers = ['Cookie', '__Host-paycode=secret'];
    expect(forwardedHeaders(headers, facts)).not.toContain('__Host-paycode=secret');
    expect(forwardedHeaders(headers, { ...facts, isCookieForwarded: true })).toContain('__Host-paycode=secret');
  });
});
