import { createServer } from 'node:net';
import { freePort } from './embedded-postgres';

/** Of Linux, by default. */
const firstPortOfOutgoingConnections = 32_768;

it('a chosen port is none that a system gives to outgoing connections, and can be listened on', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(ports.filter(port => port < 1_024 || port >= firstPortOfOutgoingConnections)).toEqual([]);
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(ports[0], '127.0.0.1', resolve));
  await new Promise(resolve => server.close(resolve));
});
