import type { Socket } from 'node:net';
import { answerBytesMax, isOurFault, OutboundGuard } from '@paycode/safe-http';
import {
  framingsAfterStatus,
  framingsBeforeStatus,
  framingsInHeader,
  TestAuthority,
  type TestCertificate,
} from '@paycode/safe-http/testing';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { SystemClock } from '@paycode/service-runtime/timing';
import type { AttemptOutcome } from '../deliveries/domain/delivery';
import { delivery } from '../deliveries/testing/samples';
import { PlainSealer, routeTo } from '../dispatcher/testing/fakes';
import { type Answer, status, WireReceiver } from '../testing/wire-receiver';
import { AckDeadlines } from './ack-deadlines';
import { type PostFault, PostWebhook } from './post-webhook';
import { UndiciWebhookClient } from './undici-webhook.client';

/** No verdict here may result from a late answer of a busy machine. */
const patienceMs = 120_000;
const ended = '\r\n\r\n';

/** The end of an idle connection, which crosses with a request that arrives now. */
const crossing =
  (...parts: string[]): Answer =>
  ({ socket }) =>
    void socket.end(parts.join(''), 'latin1');

describe.each([{ isTls: false }, { isTls: true }])('requests that no handler saw (P-T7, A-87; TLS: $isTls)', ({ isTls }) => {
  let authority: TestAuthority;
  let certificate: TestCertificate;
  let receiver: WireReceiver;
  let client: UndiciWebhookClient;
  let posting: PostWebhook;

  const later = undoneAfterEach();
  beforeAll(async () => {
    authority = await TestAuthority.create();
    certificate = await authority.issue({ dns: ['localhost'] });
  });
  afterAll(() => authority.remove());

  beforeEach(async () => {
    receiver = await WireReceiver.start(isTls ? certificate : undefined);
    const clock = new SystemClock();
    const guard = new OutboundGuard({ environment: 'sandbox', allow: ['127.0.0.0/8', '::1/128'], caFile: authority.caFile });
    client = new UndiciWebhookClient({ connect: guard.connector({ connectTimeoutMs: patienceMs }), isOurFault, clock });
    const options = { ackWindowMs: patienceMs, connectBudgetMs: patienceMs, userAgent: 'Paycode/test' };
    posting = new PostWebhook(client, new PlainSealer(), new AckDeadlines(clock), clock, options);
    later(async () => {
      client.close();
      await receiver.stop();
    });
  });

  const post = async (): Promise<AttemptOutcome> => {
    const underWay = posting.start(delivery(1), routeTo(receiver.url), { mayPost: () => true });
    const outcome = await underWay.outcome;
    await underWay.freed;
    return outcome;
  };
  /** The first connection is open and idle, and ends like this when the next request arrives on it. */
  const idleThen = async (end: Answer) => {
    expect(await post()).toMatchObject({ kind: 'STATUS', status: 200 });
    receiver.answer = request => (request.connection === 1 ? end(request) : status(200)(request));
  };
  const connectionsUsed = () => receiver.requests.map(request => request.connection);

  describe('a 408 that ends an idle connection is no answer to the request that crosses with it (RFC 9110 15.5.9)', () => {
    it.each([
      ['with Connection: close', `HTTP/1.1 408 Request Timeout\r\nContent-length: 0\r\nConnection: close${ended}`],
      ['with the option in other case', `HTTP/1.1 408 X\r\nCONTENT-LENGTH: 0\r\nconnection: Close${ended}`],
      ['with the option among others', `HTTP/1.1 408 X\r\ncontent-length: 0\r\nconnection: foo ,\tCLOSE${ended}`],
      ['with a body', `HTTP/1.1 408 X\r\nconnection: close\r\ncontent-length: 9\r\n\r\n<p>408</p`],
      ['with a chunked body', `HTTP/1.1 408 X\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n3\r\n408\r\n0${ended}`],
      ['with a body that ends with the connection', `HTTP/1.1 408 X\r\ncontent-type: text/html\r\n\r\n<p>408</p>`],
      ['of HTTP/1.0', `HTTP/1.0 408 Request Time-out\r\nContent-Length: 4\r\n\r\ntime`],
      ['of HTTP/1.0 without a length', `HTTP/1.0 408 Request Time-out\r\nCache-Control: no-cache\r\n\r\n<html></html>`],
      ['cut off in the status line', `HTTP/1.1 408`],
      ['cut off in the header', `HTTP/1.1 408 Request Timeout\r\nConte`],
    ])('regression: %s', async (_name, text) => {
      await idleThen(crossing(text));
      expect(await post()).toMatchObject({
        kind: 'STATUS',
        status: 200,
        unanswered: { code: expect.stringMatching(/^(HTTP_408|UND_ERR_SOCKET|HPE_\w+)$/) },
      });
      expect(connectionsUsed()).toEqual([1, 1, 2]);
      expect(client.connections).toEqual({ idle: 1, busy: 0 });
    });

    it('regression: in parts, between which the request is written', async () => {
      await idleThen(({ socket }) => void socket.write(' Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'));
      const outcome = post();
      receiver.requests[0]!.socket.write('HTTP/1.1 408');
      expect(await outcome).toMatchObject({ kind: 'STATUS', status: 200 });
      expect(receiver.totalConnections).toBe(2);
    });

    it('the timeline shows the request and its repeat', async () => {
      await idleThen(crossing(`HTTP/1.1 408 X\r\ncontent-length: 0\r\nconnection: close${ended}`));
      expect(await post()).toMatchObject({ unanswered: { code: 'HTTP_408', elapsedMs: expect.any(Number) } });
    });

    it('the second 408 is the answer: one repeat', async () => {
      await idleThen(status(408, 'connection: close\r\n'));
      receiver.answer = status(408, 'connection: close\r\n');
      expect(await post()).toMatchObject({ kind: 'STATUS', status: 408 });
      expect(connectionsUsed()).toEqual([1, 1, 2]);
    });

    it('a replica that may not POST any more does not repeat (P-T6)', async () => {
      await idleThen(crossing(`HTTP/1.1 408 X\r\ncontent-length: 0\r\nconnection: close${ended}`));
      const { outcome } = posting.start(delivery(1), routeTo(receiver.url), { mayPost: () => false });
      expect(await outcome).toEqual({ kind: 'OUR_FAULT', code: 'OWNERSHIP_UNCERTAIN', isSent: true });
      expect(connectionsUsed()).toEqual([1, 1]);
    });
  });

  describe('an answer that a handler may have given is not repeated', () => {
    it('a 408 on a fresh connection', async () => {
      receiver.answer = status(408, 'connection: close\r\n');
      expect(await post()).toMatchObject({ kind: 'STATUS', status: 408 });
      expect(receiver.requests).toHaveLength(1);
    });

    it.each([
      ['a 408 that keeps the connection', `HTTP/1.1 408 X\r\ncontent-length: 0${ended}`],
      ['a 408 of HTTP/1.0 that keeps the connection', `HTTP/1.0 408 X\r\nconnection: Keep-Alive\r\ncontent-length: 0${ended}`],
      ['another status that ends the connection', `HTTP/1.1 503 X\r\ncontent-length: 0\r\nconnection: close${ended}`],
      ['a 400 that ends the connection', `HTTP/1.1 400 X\r\ncontent-length: 0\r\nconnection: close${ended}`],
    ])('%s', async (_name, text) => {
      await idleThen(({ socket }) => void socket.write(text));
      expect(await post()).toMatchObject({ kind: 'STATUS', status: Number(text.slice(9, 12)) });
      expect(connectionsUsed()).toEqual([1, 1]);
    });

    it('a 100 before the end of the connection: something read the request', async () => {
      await idleThen(crossing(`HTTP/1.1 100 Continue${ended}`));
      expect(await post()).toMatchObject({ kind: 'CONNECTION' });
      expect(connectionsUsed()).toEqual([1, 1]);
    });
  });

  describe('bytes that came before the request was written are no answer to it', () => {
    const codes = [200, 400, 408, 503];

    it.each(codes)('a %i on an idle connection: the request goes to a fresh one', async code => {
      await idleThen(() => undefined);
      status(code)(receiver.requests[0]!);
      await eventually(() => expect(client.connections.idle).toBe(0));
      expect(await post()).toMatchObject({ kind: 'STATUS', status: 200 });
      expect(connectionsUsed()).toEqual([1, 2]);
    });

    // Over TLS a test cannot say in which turn of the event loop the bytes come; the code is the same.
    const plainCodes = isTls ? [] : codes;
    for (const code of plainCodes) {
      it(`regression: a ${code} whose first bytes come just before the request`, async () => {
        const text = `HTTP/1.1 ${code} X\r\ncontent-length: 0${ended}`;
        await idleThen(({ socket }) => void socket.write(text.slice(5)));
        // From here on the event loop polls once before the request is written.
        await new Promise(resolve => setImmediate(resolve));
        const outcome = post();
        receiver.requests[0]!.socket.write(text.slice(0, 5));
        expect(await outcome).toMatchObject({ kind: 'STATUS', status: 200 });
        expect(connectionsUsed()).toEqual([1, 2]);
      });
    }

    it('surplus bytes behind an answer', async () => {
      receiver.answer = ({ socket }) => void socket.write(`HTTP/1.1 200 X\r\ncontent-length: 0${ended}surplus`);
      expect(await post()).toMatchObject({ kind: 'STATUS', status: 200 });
      expect(await post()).toMatchObject({ kind: 'STATUS', status: 200 });
      expect(connectionsUsed()).toEqual([1, 2]);
    });
  });
});

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
