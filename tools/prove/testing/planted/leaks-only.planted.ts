import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

it('passes, and leaves a UDP socket and a timer behind', async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  setTimeout(() => undefined, 600_000);
  expect(socket.address().port).toBeGreaterThan(0);
  // Nobody can see this timer from outside. The run must end all the same.
  void pause(600_000);
});
