import { GatewayUnderTest } from '../testing/gateway-under-test';
import { json } from '../testing/stub-service';

describe('a request through the gateway', () => {
  const gateway = GatewayUnderTest.ofSpec();

  it('is authorized once, with the original path, every Authorization line and the client address (A-19)', async () => {
    const path = '/pluto/code/create?x=1';
    const headers = [
      'Authorization',
      'Basic YTpi',
      'Authorization',
      'Bearer x.y.z',
      'X-Request-Id',
      'my-request-1',
      'Host',
      'localhost',
    ];
    await gateway.send(path, { headers });
    expect(gateway.asked).toEqual([
      { method: 'GET', path, authorization: ['Basic YTpi', 'Bearer x.y.z'], address: '127.0.0.1', requestId: 'my-request-1' },
    ]);
    expect(gateway.auth.last.url).toBe('/internal/authorize');
    expect(gateway.auth.last.headers.authorization).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
  });

  it('reaches the service with the asserted identity instead of the credential', async () => {
    const answer = await gateway.post('/pluto/code/create', '{"a":1}', { authorization: 'Basic c2VjcmV0' });
    expect([answer.status, answer.body]).toEqual([200, { from: 'upstream' }]);
    expect(gateway.upstream.last).toMatchObject({ method: 'POST', url: '/pluto/code/create', body: '{"a":1}' });
    expect(gateway.upstream.last.headers).toMatchObject({
      'x-paycode-identity': 'assertion',
      'content-type': 'application/json',
    });
    expect(JSON.stringify(gateway.upstream.last)).not.toContain('c2VjcmV0');
  });

  it('never forwards an identity or proxy claim of the client (T-26)', async () => {
    gateway.auth.answer = (_request, response) => json(response, { allowed: true });
    await gateway.send('/public/pay', {
      headers: {
        'x-paycode-identity': 'forged',
        'X-Paycode-Anything': 'forged',
        'x-forwarded-for': '198.51.100.7',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-prefix': '/internal',
        forwarded: 'for=198.51.100.7',
        'x-original-uri': '/internal/x',
        'x-real-ip': '198.51.100.7',
      },
    });
    const { headers } = gateway.upstream.last;
    expect(JSON.stringify(headers)).not.toMatch(/forged|evil|198\.51|internal/);
    expect(headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' });
    expect(gateway.asked[0]!.address).toBe('127.0.0.1');
  });

  it.each(['/authentication/logout', '/authentication/renew'])('forwards the token to %s only (R-4.1-11)', async path => {
    await gateway.send(path, { method: 'POST', headers: { authorization: 'Bearer a.b.c' } });
    expect(gateway.upstream.last.headers.authorization).toBe('Bearer a.b.c');
    await gateway.send('/authentication/login', { method: 'POST', headers: { authorization: 'Bearer a.b.c' } });
    expect(gateway.upstream.last.headers.authorization).toBeUndefined();
  });

  it('passes a refusal on byte for byte, and nothing reaches a service (R-7-1)', async () => {
    const body = '{"message":"Bad Credentials \\u00e9 “quoted”","status":401 }';
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'www-authenticate': 'Basic, Bearer',
      'retry-after': '7',
    };
    gateway.auth.answer = (_request, response) => json(response, { allowed: false, status: 401, headers, body });
    const answer = await gateway.send('/pluto/code/create');
    expect([answer.status, answer.text]).toEqual([401, body]);
    expect(answer.headers).toMatchObject(headers);
    expect(gateway.upstream.seen).toEqual([]);
  });

  it.each(['/internal/authorize', '/pluto/internal/x', '/metrics', '/health/ready', '/pluto/stk/x', '/'])(
    '%s is authorized first and then answered 404 (T-27, R-5.5-5)',
    async path => {
      const answer = await gateway.send(path);
      expect([answer.status, answer.body.message]).toEqual([404, 'Not Found']);
      expect(gateway.asked.map(asked => asked.path)).toEqual([path]);
      expect(gateway.upstream.seen).toEqual([]);
    },
  );

  it('the service sees the normalised path and the query as it came (T-26)', async () => {
    await gateway.send('/%70luto/code/cre%61te?a=%2F..%2f&b=c+d');
    expect(gateway.upstream.last.url).toBe('/pluto/code/create?a=%2F..%2f&b=c+d');
  });

  it.each(['/public/../internal/x', '/public/..;/x', '//public', '/public%2fx', '/PUBLIC/x', '/public/%00', '/public/%2e%2e/x'])(
    'refuses %s before auth-session is asked (T-26)',
    async path => {
      const answer = await gateway.send(path);
      expect([answer.status, answer.body.error]).toEqual([400, 'Bad Request']);
      expect([...gateway.auth.seen, ...gateway.upstream.seen]).toEqual([]);
    },
  );

  it('keeps a well-formed request id, replaces any other, and answers with it', async () => {
    expect((await gateway.send('/public/x', { headers: { 'x-request-id': 'order-4711' } })).headers['x-request-id']).toBe(
      'order-4711',
    );
    expect(gateway.upstream.last.headers['x-request-id']).toBe('order-4711');
    const replaced = (await gateway.send('/public/x', { headers: { 'x-request-id': '<script>' } })).headers['x-request-id'];
    expect(replaced).toMatch(/^[0-9a-f-]{36}$/);
    expect(gateway.upstream.last.headers['x-request-id']).toBe(replaced);
  });

  it('hop-by-hop fields end at the gateway in both directions', async () => {
    const headers = { 'x-hop': '1', connection: 'x-hop', 'x-kept': '2', 'x-powered-by': 'y', 'x-paycode-identity': 'z' };
    gateway.upstream.answer = (_request, response) => json(response, {}, { headers });
    const answer = await gateway.send('/public/x', {
      headers: { te: 'trailers', 'x-one': '1', connection: 'x-one', 'x-two': '2' },
    });
    expect(Object.keys(gateway.upstream.last.headers)).toEqual(expect.arrayContaining(['x-two']));
    expect(JSON.stringify(gateway.upstream.last.headers)).not.toMatch(/x-one|trailers/);
    expect(answer.headers['x-kept']).toBe('2');
    expect(JSON.stringify(answer.headers)).not.toMatch(/x-hop|x-powered-by|x-paycode/);
  });

  it('once the caller is authorized, any method reaches the service of the path, which knows its methods (A-71)', async () => {
    gateway.upstream.answer = (_request, response) => json(response, {}, { status: 405, headers: { allow: 'GET' } });
    for (const method of ['TRACE', 'PROPFIND', 'OPTIONS']) {
      const answer = await gateway.send('/public/x', { method });
      expect([answer.status, answer.headers.allow, gateway.upstream.last.method]).toEqual([405, 'GET', method]);
    }
    gateway.reset();
    gateway.auth.answer = (_request, response) => json(response, { allowed: false, status: 401, headers: {}, body: '{}' });
    expect((await gateway.send('/pluto/code/create', { method: 'TRACE' })).status).toBe(401);
    expect(gateway.upstream.seen).toEqual([]);
  });

  it('every answer over TLS carries HSTS, and forbids guessing its type (A-72)', async () => {
    const answers = await Promise.all(['/public/x', '/metrics', '/public/..'].map(path => gateway.send(path)));
    expect(answers.map(answer => answer.headers['strict-transport-security'])).toEqual(Array(3).fill('max-age=31536000'));
    expect(answers.map(answer => answer.headers['x-content-type-options'])).toEqual(Array(3).fill('nosniff'));
  });

  it('a large answer streams through unchanged', async () => {
    const page = 'x'.repeat(3_000_000);
    gateway.upstream.answer = (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    const answer = await gateway.send('/public/pay');
    expect([answer.text.length, answer.headers['content-type']]).toEqual([page.length, 'text/html']);
  });
});
