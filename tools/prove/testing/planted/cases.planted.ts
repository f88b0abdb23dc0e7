import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** Spec files with a seeded fault, which the specs of this folder's parent run and judge; PLANTED_CASE names the one. */
const files: Record<string, () => void> = {
  'does-not-load': () => {
    createServer().listen(0, '127.0.0.1');
    throw new Error('the planted error of loading');
  },

  'ends-the-run': () => {
    it('ends the process of the run with 0, as Node does when nothing keeps it alive (R-1-1)', () => {
      expect(2).toBe(2);
      (process as unknown as { reallyExit(code: number): never }).reallyExit(0);
    });
  },

  'leaks-and-fails': () => {
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
  },

  'leaks-only': () => {
    it('passes, and leaves a UDP socket and a timer behind', async () => {
      const socket = createSocket('udp4').bind(0, '127.0.0.1');
      await once(socket, 'listening');
      setTimeout(() => undefined, 600_000);
      expect(socket.address().port).toBeGreaterThan(0);
      // Nobody can see this timer from outside. The run must end all the same.
      void pause(600_000);
    });
  },

  passes: () => {
    it('passes, with an assertion (R-1-1)', () => {
      expect(2).toBe(2);
    });

    it('passes, without any (T-01)', () => undefined);

    (process.env['PLANTED_NOTE'] ? it : it.skip)('is skipped (not run: nothing was planted) (A-01)', () => undefined);
  },

  'skips-silently': () => {
    it('passes', () => {
      expect(1).toBe(1);
    });

    (process.env['PLANTED_NOTE'] ? it : it.skip)('is skipped, and does not say why', () => undefined);
  },

  'waits-for-ever': () => {
    it('tells which run it belongs to, and waits to be killed', async () => {
      const told = { folder: tmpdir(), jest: process.ppid, database: process.env['PAYCODE_TEST_DATABASE_URL'] };
      writeFileSync(process.env['PLANTED_NOTE']!, JSON.stringify(told));
      await once(createServer().listen(0, '127.0.0.1'), 'close');
      expect(told.database).toBeDefined();
    }, 600_000);
  },
};

files[process.env['PLANTED_CASE']!]!();
