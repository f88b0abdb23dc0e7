import { mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvError } from '@paycode/service-runtime/env';
import type { HostedService as Bundle } from '@paycode/service-runtime';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { settled } from '@paycode/service-runtime/timing/testing';
import { HostedService } from './hosted-service';
import { ServiceFailure } from './service-process';

describe('a service in the process of the platform', () => {
  let folder: string;
  const events = { say: () => undefined, processChanged: () => undefined, givenUp: () => undefined };
  const later = undoneAfterEach();
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'paycode-hosted-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  function hosted(start: Bundle['start'], port = 1): HostedService {
    const unused = { script: '', preload: '', nodeFlags: [] };
    const internalUrl = `http://127.0.0.1:${port}`;
    const spec = { ...unused, name: 'gate', env: { A: '1' }, internalUrl, logFile: join(folder, 'gate.log') };
    const service = new HostedService(spec, events, () => ({ service: { start } }));
    later(() => service.log.close());
    return service;
  }

  /** Answers every probe with 200. */
  async function readyPort(): Promise<number> {
    const server = createServer((_, response) => response.end());
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    later(() => server.close());
    return (server.address() as AddressInfo).port;
  }

  it('gets its own settings and log file, and has the id of this process while it runs', async () => {
    const given: unknown[] = [];
    const stopped: string[] = [];
    const service = hosted(
      async (source, { logDescriptor }) => {
        given.push(source);
        writeSync(logDescriptor, 'hello\n');
        return { stop: async signal => void stopped.push(signal) };
      },
      await readyPort(),
    );
    await service.start();
    expect([given, service.pid]).toEqual([[{ A: '1' }], process.pid]);
    expect(readFileSync(service.spec.logFile, 'utf8')).toBe('hello\n');
    await service.stop(1);
    expect([stopped, service.pid]).toEqual([['SIGTERM'], undefined]);
  });

  it('that cannot start is named with the settings that it refuses', async () => {
    const service = hosted(() => Promise.reject(new EnvError(['RETENTION_DAYS must be an integer'])));
    const failure = await service.start().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceFailure);
    expect((failure as Error).message).toMatch(/gate did not start: [^]*RETENTION_DAYS must be an integer[^]*gate\.log/);
  });

  it('regression: that is told to stop while it starts is stopped before its log is closed', async () => {
    const order: string[] = [];
    const { promise: mayStart, resolve: letStart } = Promise.withResolvers<void>();
    const service = hosted(async () => {
      await mayStart;
      order.push('started');
      return { stop: async () => void order.push('stopped') };
    });
    const starting = service.start();
    const stopping = service.stop(600_000).then(() => order.push('may close'));
    await settled();
    letStart();
    await Promise.all([starting, stopping]);
    expect(order).toEqual(['started', 'stopped', 'may close']);
  });

  it('whose work does not end within its grace time does not keep the others from stopping', async () => {
    const service = hosted(
      async (_, { stopTimedOut }) => ({
        stop: () => {
          stopTimedOut();
          return new Promise(() => undefined);
        },
      }),
      await readyPort(),
    );
    await service.start();
    await service.stop(600_000);
    expect(service.pid).toBeUndefined();
  });
});
