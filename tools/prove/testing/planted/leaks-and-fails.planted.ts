import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

it('fails while a server, two ends of a connection, a child and a timer are open', async () => {
  const server = createServer(socket => void socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'connect');
  spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  setInterval(() => undefined, 60_000);
  expect('the planted answer').toBe('what the spec wants');
});

it('a test beside it passes', () => {
  expect(1).toBe(1);
});
