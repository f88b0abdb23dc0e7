import { Agent, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { closeListener, createListener, leaveConnections, listen } from './listeners';

/** An application that answers at once. */
const app = {
  routing: (_request: unknown, response: { end(text: string): void }) => response.end('ok'),
} as unknown as FastifyInstance;

describe('regression: a listener that closes while clients keep connections', () => {
  let server: ReturnType<typeof createListener>;
  let agent: Agent;
  const port = () => (server.address() as AddressInfo).port;

  beforeEach(async () => {
    server = createListener('internal', app);
    await listen(server, { host: '127.0.0.1', port: 0 });
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
  });
  afterEach(async () => {
    agent.destroy();
    await closeListener(server);
  });

  const get = (at: number) =>
    new Promise<{ connection: string | undefined; isReused: boolean }>((resolve, reject) => {
      const call = request({ port: at, agent }, response => {
        response.resume().once('end', () => resolve({ connection: response.headers.connection, isReused: call.reusedSocket }));
      });
      call.once('error', reject).end();
    });

  it('answers a request on an idle connection as its last one, then closes the connection', async () => {
    const at = port();
    expect(await get(at)).toEqual({ connection: 'keep-alive', isReused: false });
    const closed = closeListener(server, 120_000);
    expect(await get(at)).toEqual({ connection: 'close', isReused: true });
    await closed;
  });

  it('ends the connection of every answer once it leaves, so that no kept one holds up the close', async () => {
    leaveConnections(server);
    expect((await get(port())).connection).toBe('close');
    await closeListener(server, 120_000);
  });

  it('answers a client that was connected but not yet accepted when the close began (P-T9)', async () => {
    const at = port();
    const clients = Array.from({ length: 50 }, () => connect(at));
    const answers = clients.map(async client => {
      await once(client, 'connect');
      client.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
      const [answer] = (await once(client, 'data')) as [Buffer];
      return answer.toString().split('\r\n', 1)[0];
    });
    await once(clients.at(-1)!, 'connect');
    const closed = closeListener(server, 120_000);
    expect(await Promise.all(answers)).toEqual(clients.map(() => 'HTTP/1.1 200 OK'));
    // One that was answered before the close would keep its connection for 65 s.
    for (const client of clients) client.destroy();
    await closed;
  });

  it('does not wait for clients that send nothing', async () => {
    const silent: Socket = connect(port());
    await Promise.all([once(silent, 'connect'), once(server, 'connection'), get(port())]);
    const gone = once(silent, 'close');
    await closeListener(server, 10);
    await gone;
  });
});
