import type { Socket } from 'node:net';
import { answerBytesMax, isOurFault, OutboundGuard } from '@paycode/safe-http';
import { framingsAfterStatus, framingsBeforeStatus, framingsInHeader } from '@paycode/safe-http/testing';
import { SystemClock } from '@paycode/service-runtime/timing';
import { status, WireReceiver } from '../testing/wire-receiver';
import type { PostFault } from './post-webhook';
import { UndiciWebhookClient } from './undici-webhook.client';

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
/** A read of the kernel's may hold this much, and the last one may begin just below the limit. */
const lastReadMax = 65_536;

describe('the bytes that a receiver can make a POST read (T-12)', () => {
  let receiver: WireReceiver;
  let client: UndiciWebhookClient;
  let dialled: Socket[];

  beforeEach(async () => {
    receiver = await WireReceiver.start();
    dialled = [];
    const guard = new OutboundGuard({ environment: 'sandbox', allow: ['127.0.0.0/8', '::1/128'] });
    const connect = guard.connector({ connectTimeoutMs: 120_000 });
    client = new UndiciWebhookClient({
      isOurFault,
      clock: new SystemClock(),
      connect: (options, callback) =>
        connect(options, (...[error, socket]: Parameters<typeof callback>) => {
          if (socket) dialled.push(socket);
          (callback as (error: Error | null, socket: Socket | null) => void)(error, socket);
        }),
    });
  });
  afterEach(async () => {
    client.close();
    await receiver.stop();
  });

  /** Without a window: what ends a POST here is the limit on bytes, never the clock. */
  const post = () =>
    new Promise<number | PostFault>(resolve => {
      let outcome: number | PostFault;
      client.post(
        { url: receiver.url, headers: {}, body: 'x', onFreshSocket: false },
        {
          sent: () => undefined,
          answered: code => (outcome ??= code),
          failed: fault => (outcome ??= fault),
          done: () => resolve(outcome),
        },
      );
    });
  const bytesRead = () => dialled.reduce((sum, socket) => sum + socket.bytesRead, 0);

  it.each(framingsBeforeStatus)('%s is read up to 64 KiB and counts against the receiver (T-12)', async (_name, hostile) => {
    receiver.answer = ({ socket }) => hostile(socket);
    expect(await post()).toMatchObject({ isOurs: false, isStaleSocket: false });
    expect(bytesRead()).toBeLessThanOrEqual(answerBytesMax + lastReadMax);
  });

  it.each(framingsInHeader)('%s is read for 64 KiB (T-12)', async (_name, hostile) => {
    receiver.answer = ({ socket }) => hostile(socket);
    await post();
    expect(bytesRead()).toBeGreaterThan(0);
    expect(bytesRead()).toBeLessThanOrEqual(answerBytesMax + lastReadMax);
  });

  it.each(framingsAfterStatus)('the 200 before %s counts, and 64 KiB are read (T-12, A-06)', async (_name, hostile) => {
    receiver.answer = ({ socket }) => hostile(socket);
    expect(await post()).toBe(200);
    expect(bytesRead()).toBeLessThanOrEqual(answerBytesMax + lastReadMax);
    expect(client.connections).toEqual({ idle: 0, busy: 0 });
  });

  it('each answer on a kept connection has its own limit (T-12)', async () => {
    receiver.answer = ({ socket }) => void socket.write(`${'HTTP/1.1 103 X\r\n\r\n'.repeat(2_000)}${ok}`);
    for (let n = 0; n < 4; n++) expect(await post()).toBe(200);
    expect(dialled).toHaveLength(1);
    receiver.answer = status(200);
    expect(await post()).toBe(200);
  });
});
