import type { Server } from 'node:net';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';

/** Connections the kernel may hold for a listener until they are accepted. */
export const backlog = 4_096;

/**
 * Accepts the clients that are connected already. The kernel connects clients before the process sees them, Node accepts one per turn of
 * the event loop, and closing a listener resets the waiting ones.
 */
export async function acceptWaiting(server: Server): Promise<void> {
  let quietTurns = 0;
  const onConnection = () => (quietTurns = -1);
  server.on('connection', onConnection);
  // The first turn may have polled before this call.
  for (let turn = 0; quietTurns < 2 && turn < backlog; turn++) {
    await turnOfEventLoop();
    quietTurns += 1;
  }
  server.off('connection', onConnection);
}
