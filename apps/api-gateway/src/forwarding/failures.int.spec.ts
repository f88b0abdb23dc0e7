import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { GatewayUnderTest, statusesOf } from '../testing/gateway-under-test';
import { json, type SeenRequest } from '../testing/stub-service';

describe('when something behind the gateway fails', () => {
  const gateway = GatewayUnderTest.ofSpec();

  const unavailable = async (path = '/public/x') => {
    const answer = await gateway.send(path);
    expect([answer.status, answer.headers['retry-after'], answer.headers['content-type']]).toEqual([
      503,
      '1',
      'application/json',
    ]);
    return answer.body.message;
  };

  it('the gateway answers for a service that is down with a JSON 503 and Retry-After, and forwards again when it is back', async () => {
    const { port } = gateway.upstream;
    await gateway.upstream.stop();
    expect(await unavailable()).toBe('the service is temporarily unavailable');
    await gateway.upstream.listen(port);
    await eventually(async () => expect((await gateway.send('/public/x')).status).toBe(200));
  });

  it('no request passes while auth-session is down, not even a public one', async () => {
    const { port } = gateway.auth;
    await gateway.auth.stop();
    expect(await unavailable('/public/x')).toBe('authentication is temporarily unavailable');
    expect(gateway.upstream.seen).toEqual([]);
    await gateway.auth.listen(port);
    await eventually(async () => expect((await gateway.send('/public/x')).status).toBe(200));
  });

  it.each<[string, (request: SeenRequest, response: ServerResponse) => void]>([
    ['an error', (_request, response) => json(response, {}, { status: 500 })],
    ['a refusal of our own token', (_request, response) => json(response, {}, { status: 401 })],
    ['another form', (_request, response) => json(response, { allowed: 'yes' })],
    ['a refusal that is none', (_request, response) => json(response, { allowed: false, status: 200, headers: {}, body: '' })],
    ['an identity that is no text', (_request, response) => json(response, { allowed: true, identity: {} })],
    ['no JSON', (_request, response) => response.end('allowed')],
  ])('no request passes when auth-session answers with %s', async (_name, answer) => {
    gateway.auth.answer = answer;
    await unavailable();
    expect(gateway.upstream.seen).toEqual([]);
  });

  it.each<[string, (request: SeenRequest, response: ServerResponse) => void]>([
    ['a broken connection', (_request, response) => response.destroy()],
    ['no HTTP', (_request, response) => response.socket!.end('SSH-2.0-x\r\n')],
  ])('the gateway answers 503 when a service answers with %s', async (_name, answer) => {
    gateway.upstream.answer = answer;
    await unavailable();
  });

  it('a request that may have had an effect is not sent twice; a read is sent again', async () => {
    gateway.upstream.answer = (_request, response) => response.destroy();
    expect((await gateway.post('/pluto/code/create', '{}')).status).toBe(503);
    expect(gateway.upstream.seen.length).toBe(1);
    gateway.reset();
    gateway.upstream.answer = (_request, response) =>
      gateway.upstream.seen.length === 1 ? response.destroy() : json(response, { from: 'upstream' });
    expect((await gateway.send('/pluto/purchase/notification/1')).status).toBe(200);
  });

  it('an answer that breaks off half-way ends with a broken connection, never as if it were complete', async () => {
    gateway.upstream.answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half');
      setImmediate(() => response.destroy());
    };
    await expect(gateway.send('/public/x')).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  });

  it('the request of a client that goes away is cancelled', async () => {
    const answered = new Promise<ServerResponse>(
      resolve => (gateway.upstream.answer = (_request, response) => resolve(response)),
    );
    const connection = await gateway.raw();
    connection.send('GET /public/x HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const response = await answered;
    const closed = once(response, 'close');
    connection.destroy();
    await closed;
    expect(response.writableFinished).toBe(false);
  });

  it('passes the error of a service on unchanged', async () => {
    gateway.upstream.answer = (_request, response) => json(response, { message: 'Not Acceptable' }, { status: 406 });
    const answer = await gateway.post('/pluto/code/queryRef', '{}');
    expect([answer.status, answer.text]).toEqual([406, '{"message":"Not Acceptable"}']);
  });
});

it('regression: requests that a service does not answer write one warning a minute for each service, and no error', async () => {
  const lines: string[] = [];
  // The logger uses the mock only if it is there when the logger is created.
  const capture = jest.spyOn(process.stdout, 'write').mockImplementation(line => lines.push(String(line)) > 0);
  const gateway = await GatewayUnderTest.start({ LOG_LEVEL: 'warn' });
  gateway.upstream.answer = (_request, response) => response.destroy();
  for (const path of ['/public/x', '/public/y', '/console/', '/console/z'])
    expect((await gateway.send(path, { method: 'POST' })).status).toBe(503);
  await gateway.stop();
  capture.mockRestore();
  const cause = (code: string) =>
    expect.objectContaining({ reason: 'UPSTREAM_UNAVAILABLE', cause: expect.objectContaining({ code }) });
  expect(lines.map(line => JSON.parse(line) as object)).toEqual(
    ['payment-simulator', 'portal'].map(name => expect.objectContaining({ level: 'warn', status: 503, err: cause(name) })),
  );
});

describe('when something behind the gateway does not answer', () => {
  let gateway: GatewayUnderTest;
  afterEach(() => gateway.stop());

  it.each([
    ['auth', { authorizeTimeoutMs: 300 }, 'authentication is temporarily unavailable'],
    ['upstream', { upstreamTimeoutMs: 300 }, 'the service is temporarily unavailable'],
  ] as const)('%s: the client gets the error in time', async (silent, limits, message) => {
    gateway = await GatewayUnderTest.start({}, limits);
    gateway[silent].answer = () => undefined;
    const { status, headers, body } = await gateway.send('/public/x');
    expect([status, headers['retry-after'], body.message]).toEqual([503, '1', message]);
    expect(gateway.upstream.seen).toHaveLength(silent === 'auth' ? 0 : 1);
  });
});

describe('when the gateway stops', () => {
  const later = undoneAfterEach();

  it('it answers the requests in progress, takes no new ones, and closes idle connections at once', async () => {
    const gateway = await GatewayUnderTest.start();
    later(() => gateway.stop());
    const idle = await gateway.raw();
    const inProgress = await gateway.raw();
    const held = new Promise<ServerResponse>(resolve => (gateway.upstream.answer = (_request, response) => resolve(response)));
    inProgress.send('GET /public/x HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const response = await held;
    const { port } = gateway;
    const stopped = gateway.service.stop('test');
    await idle.closed;
    const ready = await fetch(`http://127.0.0.1:${gateway.service.ports.internal}/health/ready`);
    expect(ready.status).toBe(503);
    await expect(gateway.send('/public/y', { agent: false, port })).rejects.toThrow('ECONNREFUSED');
    json(response, { late: true });
    const raw = await inProgress.untilClosed();
    expect(statusesOf(raw)).toEqual([200]);
    expect(raw).toMatch(/connection: close/i);
    await stopped;
  });
});
