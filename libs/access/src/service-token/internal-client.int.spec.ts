import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { type InternalCallError, InternalClient, type InternalClientOptions } from './internal-client';
import { TestTokenKeys } from '../testing';

const kept = 8;
const tokenKeys = new TestTokenKeys();

describe('InternalClient', () => {
  let server: Server;
  let client: InternalClient;
  const held: ServerResponse[] = [];
  const later = undoneAfterEach();
  const answer = (response: ServerResponse) => response.setHeader('content-type', 'application/json').end('{"ok":true}');
  const post = () => client.post('/internal/authorize', {});

  const clientOf = (options: Partial<InternalClientOptions>) => {
    const made = new InternalClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      audience: 'auth-session',
      timeoutMs: 120_000,
      signer: tokenKeys.signer('api-gateway'),
      ...options,
    });
    later(() => made.close());
    return made;
  };
  const failureOf = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => error as InternalCallError,
    );

  beforeEach(async () => {
    server = createServer((_, response) => held.push(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = clientOf({ isRepeatable: true });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });

  it('a call is answered although the callee closes every kept connection just when it is used (P-T9)', async () => {
    const first = Array.from({ length: kept }, post);
    while (held.length < kept) await once(server, 'request');
    const old = new Set(held.map(response => response.socket));
    held.splice(0).forEach(answer);
    await Promise.all(first);
    server.removeAllListeners('request').on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      if (old.has(socket)) socket.destroy();
      else answer(response);
    });
    expect(await post()).toEqual({ ok: true });
  });

  it('regression: against a callee that loses every connection, calls are sent once more only as far as the budget goes', async () => {
    let requests = 0;
    server.removeAllListeners('request').on('request', ({ socket }: IncomingMessage) => {
      requests++;
      socket.destroy();
    });
    client = clientOf({ isRepeatable: true, socketsMax: 2 });
    const calls = 40;
    const startedMs = performance.now();
    for (let call = 0; call < calls; call++) expect(await failureOf(post())).toMatchObject({ isDefinite: false });
    const refilled = (performance.now() - startedMs) / 500;
    expect(requests).toBeGreaterThan(calls + 2);
    expect(requests).toBeLessThanOrEqual(calls + 2 + calls * 0.1 + refilled + 1);
  });

  it('a call says how long its caller waits', async () => {
    const requested = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const answered = clientOf({ timeoutMs: 7_000 }).get('/internal/keys');
    const [request, response] = await requested;
    held.splice(0);
    answer(response);
    await answered;
    expect(request.headers['x-deadline-ms']).toBe('7000');
  });

  describe('the error of a call without a usable answer tells the facts, and nothing of the payload (T-17)', () => {
    const answers: [what: string, (response: ServerResponse) => unknown, Partial<InternalCallError>][] = [
      ['an error', response => response.writeHead(503).end('{"secret":1}'), { status: 503, isDefinite: true }],
      ['no JSON', response => response.end('<html>'), { status: null, isDefinite: false }],
      ['a lost connection', response => response.socket!.destroy(), { status: null, isDefinite: false }],
      ['nothing in time', () => undefined, { status: null, isDefinite: false }],
      ['more than 16 MiB', response => response.end(Buffer.alloc(16_777_217, 0x20)), { status: null, isDefinite: false }],
    ];
    it.each(answers)('%s', async (what, answerWith, expected) => {
      server.removeAllListeners('request').on('request', (_, response: ServerResponse) => answerWith(response));
      const impatient = clientOf(what === 'nothing in time' ? { timeoutMs: 1_000 } : {});
      const failure = await failureOf(impatient.post('/internal/authorize', { password: 'hunter2' }));
      expect(failure).toMatchObject({ name: 'InternalCallError', ...expected });
      expect(JSON.stringify([failure!.message, failure!.cause])).not.toMatch(/hunter2|secret|Bearer/);
    });

    it('with no listener the call has certainly had no effect', async () => {
      const nowhere = clientOf({ baseUrl: 'http://127.0.0.1:1' });
      expect(await failureOf(nowhere.post('/internal/authorize', {}))).toMatchObject({ status: null, isDefinite: true });
    });
  });

  it('a body of more than 16 MiB is refused before it is sent', async () => {
    const failure = await failureOf(client.post('/internal/authorize', { text: 'x'.repeat(16_777_216) }));
    expect(failure).toMatchObject({ isDefinite: true });
    expect(failure!.message).toContain('BODY_TOO_LARGE');
    expect(held).toHaveLength(0);
  });

  it('a path in the base URL is kept', async () => {
    const requested = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const prefixed = clientOf({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth/` });
    const answered = prefixed.get('/internal/keys');
    const [request, response] = await requested;
    answer(response);
    expect(await answered).toEqual({ ok: true });
    expect(request.url).toBe('/auth/internal/keys');
  });
});
