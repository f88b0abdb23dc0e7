import { createServer } from 'node:net';
import { freePort } from './embedded-postgres';

/** Of Linux, by default. */
const firstPortOfOutgoingConnections = 32_768;

it('a chosen port is none that a system gives to outgoing connections, is chosen once, and can be listened on', async () => {
  const ports: number[] = [];
  while (ports.length < 500) ports.push(await freePort());
  expect(ports.filter(port => port < 1_024 || port >= firstPortOfOutgoingConnections)).toEqual([]);
  expect(new Set(ports).size).toBe(ports.length);
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(ports[0], '127.0.0.1', resolve));
  await new Promise(resolve => server.close(resolve));
});
