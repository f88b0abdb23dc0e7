import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InternalClient } from './internal-client';
import { ServiceTokenSigner } from './service-token';

const kept = 8;

describe('InternalClient', () => {
  let server: Server;
  let client: InternalClient;
  const held: ServerResponse[] = [];
  const answer = (response: ServerResponse) => response.setHeader('content-type', 'application/json').end('{"ok":true}');
  const post = () => client.post('/internal/authorize', {});

  beforeEach(async () => {
    server = createServer((_, response) => held.push(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = new InternalClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      audience: 'auth-session',
      signer: new ServiceTokenSigner('api-gateway', ['a'.repeat(32)]),
      isRepeatable: true,
    });
  });
  afterEach(async () => {
    client.close();
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });

  it('T9: a call is answered although the callee closes every kept connection just when it is used', async () => {
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
});
