import type { ServerResponse } from 'node:http';
import { eventually } from '@paycode/service-runtime/testing';
import { GatewayUnderTest, statusesOf } from '../testing/gateway-under-test';
import { json } from '../testing/stub-service';

const kib = 1_024;

describe('the limits of the gateway', () => {
  const gateway = GatewayUnderTest.ofSpec({}, { addressConnectionsMax: 20 });
  const nobodyAsked = () => expect([...gateway.auth.seen, ...gateway.upstream.seen]).toEqual([]);

  it('a body of 256 KiB may pass, one byte more is refused with 413 before auth-session is asked', async () => {
    const largest = JSON.stringify({ a: 'x'.repeat(256 * kib - 8) });
    expect((await gateway.post('/pluto/code/create', largest)).status).toBe(200);
    expect(gateway.upstream.last.body).toBe(largest);
    gateway.reset();
    const refused = await gateway.post('/pluto/code/create', `${largest} `);
    expect([refused.status, refused.body.message]).toEqual([413, 'body is larger than allowed']);
    nobodyAsked();
  });

  it('the gateway reads a body that is far too large to its end, so that the client sees the 413', async () => {
    const connection = await gateway.raw();
    connection.send(
      'POST /pluto/code/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 300000\r\n\r\n',
    );
    await eventually(() => expect(connection.received).toContain('HTTP/1.1 413'));
    await connection.sendWhole(' '.repeat(300_000));
    await connection.closed;
    expect(connection.errorCode).toBeUndefined();
  });

  it('a chunked body is counted as it comes, and the client can read the 413', async () => {
    const connection = await gateway.raw();
    connection.send(
      'POST /pluto/code/create HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const chunk = `10000\r\n${' '.repeat(64 * kib)}\r\n`;
    connection.send(chunk.repeat(6));
    expect(statusesOf(await connection.untilClosed())).toEqual([413]);
    nobodyAsked();
  });

  it('regression: an unknown expectation is ignored, and the request is served', async () => {
    const connection = await gateway.raw();
    connection.send(
      'POST /pluto/code/create HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nExpect: x\r\nContent-Length: 2\r\n\r\n{}',
    );
    const received = await connection.untilClosed();
    expect(statusesOf(received)).toEqual([200]);
    expect(received).not.toContain('100 Continue');
  });

  it('with Expect: 100-continue a client is refused before it sends a body that is too large', async () => {
    const connection = await gateway.raw();
    connection.send(
      'POST /pluto/code/create HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 300000\r\n\r\n',
    );
    await eventually(() => expect(connection.received).toContain('HTTP/1.1 413'));
    expect(connection.received).not.toContain('100 Continue');
    connection.destroy();
    nobodyAsked();
  });

  it('with Expect: 100-continue a client is told to continue when its body is allowed', async () => {
    const connection = await gateway.raw();
    connection.send(
      'POST /pluto/code/create HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n',
    );
    await eventually(() => expect(connection.received).toContain('HTTP/1.1 100 Continue'));
    connection.send('{}');
    expect(statusesOf(await connection.untilClosed())).toEqual([200]);
  });

  it('a body whose type is not JSON is refused with 415 before auth-session is asked (R-5.4-1)', async () => {
    const answer = await gateway.post('/pluto/code/create', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([answer.status, answer.body.message]).toEqual([415, 'Content-Type must be application/json']);
    nobodyAsked();
  });

  it('a form is taken where mail programs end alerts, and nowhere else (R-5.4-1)', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const statuses = ['/console/api/alerts/stop/x', '/console/api/alerts'].map(path => gateway.post(path, 'a=1', headers));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 415]);
  });

  it('a chunked body without a type is refused, unless it is empty (R-5.4-1)', async () => {
    const headers = ['Host', 'localhost', 'Transfer-Encoding', 'chunked'];
    expect((await gateway.send('/authentication/logout', { method: 'POST', headers, body: '{}' })).status).toBe(415);
    nobodyAsked();
    expect((await gateway.send('/authentication/logout', { method: 'POST', headers })).status).toBe(200);
    expect(gateway.upstream.last.headers['transfer-encoding']).toBeUndefined();
  });

  it('header fields beyond 16 KiB are refused', async () => {
    const connection = await gateway.raw();
    connection.send(`GET /public/x HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(17 * kib)}\r\n\r\n`);
    const raw = await connection.untilClosed();
    expect(statusesOf(raw)).toEqual([400]);
    expect(raw).toContain('header fields are larger than allowed');
  });

  it('one address may hold a limited number of connections', async () => {
    const opened = await Promise.allSettled(Array.from({ length: 30 }, () => gateway.raw()));
    const held = opened.filter(outcome => outcome.status === 'fulfilled');
    expect(held.length).toBeLessThanOrEqual(20);
    for (const { value } of held) value.destroy();
    await Promise.all(held.map(({ value }) => value.closed));
    await eventually(async () => expect((await gateway.send('/public/x', { agent: false })).status).toBe(200));
  });

  it('too many pipelined requests end the connection', async () => {
    const connection = await gateway.raw();
    connection.send('GET /public/x HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(200));
    await connection.closed;
    expect(gateway.upstream.seen.length).toBeLessThan(20);
  });
});

describe('the limit of requests in progress at the gateway', () => {
  const gateway = GatewayUnderTest.ofSpec({}, { inFlightMax: 1 });

  it('beyond the limit the next request gets 503 and Retry-After, and is served once another was answered (T-02)', async () => {
    const held: ServerResponse[] = [];
    gateway.upstream.answer = (_request, response) => held.push(response);
    const first = gateway.send('/public/x');
    await eventually(() => expect(held).toHaveLength(1));
    const second = await gateway.send('/public/x');
    expect([second.status, second.headers['retry-after'], second.body.message]).toEqual([
      503,
      '1',
      'too many requests in progress',
    ]);
    json(held[0]!, {});
    expect((await first).status).toBe(200);
    gateway.reset();
    for (const path of ['/public/x', '/%', '/public/x']) await gateway.send(path);
    expect((await gateway.send('/public/x')).status).toBe(200);
  });
});

describe('the turns of requests to a service', () => {
  const gateway = GatewayUnderTest.ofSpec({}, { upstreamConnectionsMax: 1 });

  it('a payment goes before a code that came earlier; what waits for a second is refused, and auth-session is not asked (T-02)', async () => {
    const held: ServerResponse[] = [];
    gateway.upstream.answer = (_request, response) => held.push(response);
    const page = gateway.send('/public/x');
    await eventually(() => expect(held).toHaveLength(1));
    const late = gateway.post('/pluto/code/create', '{}');
    const { status, headers, body } = await late;
    expect([status, headers['retry-after'], body.message]).toEqual([503, '1', 'too many requests in progress']);
    expect(gateway.asked.map(({ path }) => path)).toEqual(['/public/x']);
    const code = gateway.post('/pluto/code/create', '{}');
    await eventually(async () => expect(await gateway.metric(/^paycode_api_gateway_requests_in_flight (\d+)$/m)).toBe(2));
    const payment = gateway.post('/public/pay/0123456789', '{}');
    await eventually(async () => expect(await gateway.metric(/^paycode_api_gateway_requests_in_flight (\d+)$/m)).toBe(3));
    gateway.upstream.answer = (_request, response) => json(response, {});
    json(held[0]!, {});
    expect((await Promise.all([page, code, payment])).map(answer => answer.status)).toEqual([200, 200, 200]);
    expect(gateway.asked.map(({ path }) => path)).toEqual(['/public/x', '/public/pay/0123456789', '/pluto/code/create']);
  });
});

describe('the time limits of the gateway', () => {
  const gateway = GatewayUnderTest.ofSpec({}, { headersTimeoutMs: 300, requestTimeoutMs: 600 });

  it.each([
    ['half a header', 'GET /public/x HTTP/1.1\r\nHost: loc', 0],
    [
      'half a body',
      'POST /pluto/code/create HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a"',
      0,
    ],
    ['half a second request', 'GET /public/x HTTP/1.1\r\nHost: localhost\r\n\r\nGET /public/y HTTP/1.1\r\nHost: loc', 1],
  ])('a client that sends %s is told by 408 that it took too long, and cut off (ADR 0017)', async (_name, bytes, reached) => {
    const connection = await gateway.raw();
    connection.send(bytes);
    const raw = await connection.untilClosed();
    expect(statusesOf(raw).at(-1)).toBe(408);
    expect(JSON.parse(raw.split('\r\n\r\n').at(-1)!)).toMatchObject({
      code: 'REQUEST_TIMEOUT',
      message: 'the request took too long',
    });
    expect([gateway.auth.seen.length, gateway.upstream.seen.length]).toEqual([reached, reached]);
  });

  it('a connection that a browser opened ahead and never used is closed without an answer, which it would read as the next one (ADR 0017)', async () => {
    const connection = await gateway.raw();
    expect([await connection.untilClosed(), connection.errorCode]).toEqual(['', undefined]);
    const metrics = await fetch(`http://127.0.0.1:${gateway.service.ports.internal}/metrics`).then(answer => answer.text());
    expect(metrics).toMatch(/^paycode_api_gateway_connections_refused_total\{.*reason="silent".*\} 1$/m);
  });

  it('a connection on which no byte comes at all is closed', async () => {
    const { RawConnection } = await import('../testing/gateway-under-test');
    const connection = await RawConnection.tcp(gateway.port);
    expect(await connection.untilClosed()).toBe('');
  });
});
