import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { isOurFault, OutboundGuard, type OutboundPolicy } from '@paycode/safe-http';
import { spellingsRefused, TestAuthority, type TestCertificate } from '@paycode/safe-http/testing';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { type CancelTimer, SystemClock } from '@paycode/service-runtime/timing';
import type { buildConnector } from 'undici';
import type { AttemptOutcome, Connection } from '../deliveries/domain/delivery';
import { delivery } from '../deliveries/testing/samples';
import { PlainSealer, routeTo } from '../dispatcher/testing/fakes';
import { type Answer, silence, status, WireReceiver } from '../testing/wire-receiver';
import { AckDeadlines } from './ack-deadlines';
import type { PostWindowRules } from '../deliveries/domain/post-window';
import { ConnectFirst, PostWebhook } from './post-webhook';
import { UndiciWebhookClient } from './undici-webhook.client';

/**
 * The length of windows that end in a test. In all other tests the receiver's action ends the POST, however slow the
 * machine is.
 */
const shortMs = 400;
const patienceMs = 120_000;
const allow = ['127.0.0.0/8', '::1/128'];

const write =
  (...parts: string[]): Answer =>
  ({ socket }) =>
    void socket.write(parts.join(''), 'latin1');
const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

describe('a POST on the wire', () => {
  let receiver: WireReceiver;
  let client: UndiciWebhookClient;
  let posting: PostWebhook;

  const guardOf = (policy: Partial<OutboundPolicy> = {}) =>
    new OutboundGuard({ environment: 'sandbox', allow, lookUpTimeoutMs: patienceMs, ...policy });
  const use = (guard: OutboundGuard, rules: Partial<PostWindowRules> = {}, clock = new SystemClock()) => {
    const connect = guard.connector({ connectTimeoutMs: patienceMs });
    client = new UndiciWebhookClient({ connect, isOurFault, clock });
    const options = { ackWindowMs: patienceMs, connectBudgetMs: patienceMs, userAgent: 'Paycode/test', ...rules };
    posting = new PostWebhook(client, new PlainSealer(), new AckDeadlines(clock), clock, options);
  };
  const useShortWindow = () => use(guardOf(), { ackWindowMs: shortMs });
  beforeEach(async () => {
    receiver = await WireReceiver.start();
    use(guardOf());
  });
  afterEach(async () => {
    client.close();
    await receiver.stop();
  });

  const later = undoneAfterEach();

  const post = async (url = receiver.url, id = 1): Promise<AttemptOutcome> => {
    const underWay = posting.start(delivery(id), routeTo(url), { mayPost: () => true });
    const outcome = await underWay.outcome;
    await underWay.freed;
    return outcome;
  };
  const outcomeOf = (answer: Answer) => {
    receiver.answer = answer;
    return post();
  };
  /** Settles some requests on the same connection, so that the next one finds a pooled socket. */
  const warmUp = async () => {
    receiver.answer = status(200);
    expect(await post()).toMatchObject({ kind: 'STATUS', status: 200 });
  };

  describe('final status', () => {
    it('200 with the time since the last request byte (R-3.1-2)', async () => {
      const outcome = await outcomeOf(status(200));
      expect(outcome).toMatchObject({ kind: 'STATUS', status: 200 });
      expect(receiver.requests[0]).toMatchObject({ method: 'POST', path: '/hook' });
    });

    it('regression: quotes in the URL go out as they stand there, as in the probe', async () => {
      receiver.answer = status(200);
      const path = `/it's/hook?q='x'&n="y"`;
      await post(receiver.url.replace('/hook', path));
      expect(receiver.requests.at(-1)).toMatchObject({ path });
    });

    it.each([
      ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
      ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'],
      ['several of both', 'HTTP/1.1 103 X\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\n\r\n'],
    ])('%s before the final status changes nothing, also on a reused connection (F-22)', async (_name, interim) => {
      expect(await outcomeOf(write(interim, ok))).toMatchObject({ status: 200 });
      expect(await outcomeOf(write(interim, ok))).toMatchObject({ status: 200 });
      expect(receiver.totalConnections).toBe(1);
    });

    it.each(spellingsRefused)('%s make no 200, as in the probe (A-111)', async (_, answer) => {
      expect((await outcomeOf(write(answer))).kind).not.toBe('STATUS');
    });

    it('100 and then silence ends with the window (F-22)', async () => {
      useShortWindow();
      expect(await outcomeOf(write('HTTP/1.1 100 Continue\r\n\r\n'))).toMatchObject({ kind: 'TIMEOUT' });
    });

    it('101 ends it at once (F-23)', async () => {
      expect(await outcomeOf(write('HTTP/1.1 101 Switching Protocols\r\n\r\n'))).toMatchObject({ kind: 'STATUS', status: 101 });
      const upgraded = await outcomeOf(write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'));
      expect(upgraded.kind).not.toBe('TIMEOUT');
    });

    it('redirects are not followed (A-08, F-34)', async () => {
      const answer = write(`HTTP/1.1 302 Found\r\nlocation: ${receiver.url}/elsewhere\r\ncontent-length: 0\r\n\r\n`);
      expect(await outcomeOf(answer)).toMatchObject({ status: 302 });
      expect(receiver.requests).toHaveLength(1);
    });
  });

  describe('the status line decides; the dispatcher does not wait for the body (A-06, P-T1, R-6.2-2, F-24)', () => {
    it('a small body keeps the connection', async () => {
      const answer = write('HTTP/1.1 200 OK\r\ncontent-length: 16000\r\n\r\n', 'x'.repeat(16_000));
      for (let n = 0; n < 3; n++) expect(await outcomeOf(answer)).toMatchObject({ status: 200 });
      expect(receiver.totalConnections).toBe(1);
    });

    it.each([
      ['10 GB announced', 'HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n'],
      ['an endless chunked body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffff\r\n'],
    ])('%s settles at the headers, and the socket is dropped', async (_name, head) => {
      let pouring: NodeJS.Timeout | undefined;
      receiver.answer = ({ socket }) => {
        socket.write(head);
        pouring = setInterval(() => socket.write('x'.repeat(8_192)), 1);
        socket.once('close', () => clearInterval(pouring));
      };
      expect(await post()).toMatchObject({ status: 200 });
      await eventually(() => expect(receiver.openConnections).toBe(0));
      clearInterval(pouring);
      expect(client.connections).toEqual({ idle: 0, busy: 0 });
    });

    it('a reset right after the headers settles (F-25)', async () => {
      const answer: Answer = ({ socket }) =>
        void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n', () => socket.resetAndDestroy());
      expect(await outcomeOf(answer)).toMatchObject({ status: 200 });
    });
  });

  describe('broken answers (F-26, F-28, F-29)', () => {
    it.each([
      ['a reset before any byte on a fresh socket', (({ socket }) => void socket.resetAndDestroy()) as Answer],
      ['an end before any byte', (({ socket }) => void socket.end()) as Answer],
      ['garbage', write('this is no http at all\r\n\r\n')],
      ['HTTP/0.9', (({ socket }) => void socket.end('<html></html>')) as Answer],
      ['a malformed status line', write('HTTP/1.1 2x0 OK\r\ncontent-length: 0\r\n\r\n')],
      ['two Content-Lengths', write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n')],
      ['headers of 64 kB', write('HTTP/1.1 200 OK\r\n', `a: ${'b'.repeat(1_000)}\r\n`.repeat(65))],
      ['10,000 headers', write('HTTP/1.1 200 OK\r\n', 'a: b\r\n'.repeat(10_000))],
      ['a status line cut off', (({ socket }) => void socket.end('HTTP/1.1 200')) as Answer],
    ])('%s is a connection error, posted once', async (_name, answer) => {
      expect(await outcomeOf(answer)).toMatchObject({ kind: 'CONNECTION', code: expect.stringMatching(/^[A-Z0-9_]+$/) });
      expect(receiver.requests).toHaveLength(1);
    });

    it('headers that dribble in end with the window (F-28)', async () => {
      useShortWindow();
      let dribble: NodeJS.Timeout | undefined;
      receiver.answer = ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        dribble = setInterval(() => socket.write('x'), 20);
        socket.once('close', () => clearInterval(dribble));
      };
      expect(await post()).toMatchObject({ kind: 'TIMEOUT' });
      await eventually(() => expect(receiver.openConnections).toBe(0));
    });
  });

  describe('pooled connections (P-T7)', () => {
    it('are used again, one request at a time', async () => {
      for (let n = 0; n < 5; n++) await warmUp();
      expect(receiver.totalConnections).toBe(1);
      await Promise.all([post(), post(), post()]);
      expect(receiver.totalConnections).toBe(3);
    });

    it('a request whose pooled connection is reset on use is repeated once on a fresh socket (F-27)', async () => {
      await warmUp();
      receiver.answer = request => (request.connection === 1 ? request.socket.resetAndDestroy() : status(200)(request));
      expect(await post()).toMatchObject({ kind: 'STATUS', status: 200 });
      expect(receiver.requests.map(request => request.connection)).toEqual([1, 1, 2]);
    });

    it('a repeat that fails too is a connection error', async () => {
      await warmUp();
      receiver.answer = ({ socket }) => socket.resetAndDestroy();
      expect(await post()).toMatchObject({ kind: 'CONNECTION' });
      expect(receiver.requests).toHaveLength(3);
    });

    it('a request whose connection dies after the first byte of an answer is not repeated', async () => {
      await warmUp();
      receiver.answer = ({ socket }) => void socket.write('HTTP/1.1 2', () => socket.resetAndDestroy());
      expect(await post()).toMatchObject({ kind: 'CONNECTION' });
      expect(receiver.requests).toHaveLength(2);
    });

    it('receivers that close idle sockets lose no request', async () => {
      receiver.answer = ({ socket }) => void socket.write(ok, () => setTimeout(() => socket.end(), 3));
      for (let n = 0; n < 60; n++) expect(await post()).toMatchObject({ kind: 'STATUS', status: 200 });
    });

    it('the header Connection: close is honoured', async () => {
      receiver.answer = write('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      await post();
      await post();
      expect(receiver.totalConnections).toBe(2);
    });
  });

  describe('a connection that is opened before its request (P-T13)', () => {
    const connectFirst = async (url = receiver.url, clock = new SystemClock()) =>
      new ConnectFirst(client, new AckDeadlines(clock), clock, { connectBudgetMs: patienceMs }).to(routeTo(url));
    const opened = async (clock?: SystemClock) => {
      const line = await connectFirst(receiver.url, clock);
      if ('code' in line) throw new Error(line.code);
      await eventually(() => expect(receiver.openConnections).toBe(1));
      return line;
    };
    const postOn = async (connection: Connection): Promise<AttemptOutcome> => {
      const underWay = posting.start(delivery(1), routeTo(receiver.url), { mayPost: () => true, connection });
      const outcome = await underWay.outcome;
      await underWay.freed;
      return outcome;
    };

    it('carries the request, and the next one', async () => {
      const connection = await opened();
      expect(receiver.requests).toEqual([]);
      expect(await postOn(connection)).toMatchObject({ kind: 'STATUS', status: 200 });
      expect(client.take(receiver.url)).toBeDefined();
      expect([receiver.totalConnections, client.take(receiver.url)]).toEqual([1, undefined]);
    });

    it('serves another delivery when it is given back', async () => {
      const connection = await opened();
      expect(client.idleOf(new URL(receiver.url).origin)).toBe(0);
      connection.giveBack();
      connection.giveBack();
      expect(client.connections).toEqual({ idle: 1, busy: 0 });
      await warmUp();
      expect(receiver.totalConnections).toBe(1);
    });

    it('a port that is closed, and a name that does not exist, are the receiver’s at once', async () => {
      expect(await connectFirst('http://localhost:1/hook')).toEqual({ code: 'ECONNREFUSED' });
      use(guardOf({ allow: ['203.0.113.0/24'] }));
      expect(await connectFirst()).toEqual({ code: 'OUTBOUND_REFUSED' });
      expect(client.connections).toEqual({ idle: 0, busy: 0 });
    });

    it('name servers that do not answer are a fault of the platform (P-T8)', async () => {
      use(guardOf({ dnsServers: ['127.0.0.1:1'] }));
      await expect(connectFirst('http://shop.example/hook')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    });

    it('one that its receiver closes meanwhile is replaced', async () => {
      const connection = await opened();
      receiver.endConnections();
      await eventually(() => expect(receiver.openConnections).toBe(0));
      expect(await postOn(connection)).toMatchObject({ kind: 'STATUS', status: 200 });
      expect([receiver.totalConnections, receiver.requests.length]).toEqual([2, 1]);
    });

    it('bytes that come before the request are no answer to it (P-T7)', async () => {
      const connection = await opened();
      receiver.writeToAll(ok);
      await eventually(() => expect(receiver.openConnections).toBe(0));
      receiver.answer = status(500);
      expect(await postOn(connection)).toMatchObject({ kind: 'STATUS', status: 500 });
      expect(receiver.requests.map(({ connection: of }) => of)).toEqual([2]);
    });

    it('one that was open for over a second and is reset on use is repeated, a newer one is not (P-T7, F-26)', async () => {
      const clock = new LateClock();
      use(guardOf(), {}, clock);
      receiver.answer = request => (request.connection === 2 ? status(200)(request) : request.socket.resetAndDestroy());
      const connection = await opened(clock);
      clock.lateMs = 1_100;
      expect(await postOn(connection)).toMatchObject({ kind: 'STATUS', status: 200 });
      client.close();
      await eventually(() => expect(receiver.openConnections).toBe(0));
      expect(await postOn(await opened(clock))).toMatchObject({ kind: 'CONNECTION' });
      expect(receiver.requests).toHaveLength(3);
    });

    it('many deliveries at once are all served', async () => {
      const lines = Array.from({ length: 200 }, async () => {
        const line = await connectFirst();
        if ('code' in line) throw new Error(line.code);
        return postOn(line);
      });
      for (const outcome of await Promise.all(lines)) expect(outcome).toMatchObject({ kind: 'STATUS', status: 200 });
      expect([receiver.requests.length, client.connections.busy]).toEqual([200, 0]);
    });
  });

  describe('the window (R-8-1)', () => {
    it('silence ends with it and gives the socket up (P-T1)', async () => {
      useShortWindow();
      expect(await outcomeOf(silence)).toMatchObject({ kind: 'TIMEOUT' });
      await eventually(() => expect(receiver.openConnections).toBe(0));
    });

    it('a 200 that waits in the kernel when a stalled event loop wakes up counts (P-T3, F-20)', async () => {
      const clock = new StallingClock();
      use(guardOf(), {}, clock);
      for (let n = 0; n < 5; n++) {
        receiver.answer = request => {
          status(200)(request);
          // The answer is on its way when the loop stalls beyond the deadline, in the phase before timers.
          setImmediate(() => clock.stall(2 * patienceMs));
        };
        expect(await post()).toMatchObject({ kind: 'STATUS', status: 200 });
      }
    });

    it('a receiver that accepts and never reads is cut off when the window ends (F-30)', async () => {
      useShortWindow();
      receiver.answer = silence;
      const outcome = posting.start(delivery(1, { payload: 'x'.repeat(50) }), routeTo(receiver.url), {
        mayPost: () => true,
      }).outcome;
      expect((await outcome).kind).toBe('TIMEOUT');
    });
  });

  describe('connecting (F-31 to F-35)', () => {
    it('a closed port is a connection error at once', async () => {
      expect(await post('http://localhost:1/hook')).toEqual({ kind: 'CONNECTION', code: 'ECONNREFUSED', elapsedMs: null });
    });

    it('an inward address gets no packet (T-11, F-33)', async () => {
      use(guardOf({ allow: ['203.0.113.0/24'] }));
      expect(await post()).toEqual({ kind: 'CONNECTION', code: 'OUTBOUND_REFUSED', elapsedMs: null });
      expect(receiver.totalConnections).toBe(0);
    });

    it('name servers that do not answer are a fault of the platform (P-T8, F-32)', async () => {
      use(guardOf({ dnsServers: ['127.0.0.1:1'] }));
      expect(await post('http://shop.example/hook')).toMatchObject({ kind: 'OUR_FAULT', isSent: false });
    });

    it('TLS is verified, and a valid certificate delivers (T-13, F-35)', async () => {
      const authority = await TestAuthority.create();
      later(() => authority.remove());
      const receiverOf = async (certificate: TestCertificate) => {
        const started = await WireReceiver.start(certificate);
        later(() => started.stop());
        return started;
      };
      const good = await receiverOf(await authority.issue({ dns: ['localhost'] }));
      const wrongHost = await receiverOf(await authority.issue({ dns: ['other.example'] }));
      const expired = await receiverOf(await authority.issue({ dns: ['localhost'], notAfter: new Date(Date.now() - 1) }));
      const selfSigned = await receiverOf(await TestAuthority.selfSigned({ dns: ['localhost'] }));
      use(guardOf({ caFile: authority.caFile }));
      expect(await post(good.url)).toMatchObject({ kind: 'STATUS', status: 200 });
      expect(await post(good.url)).toMatchObject({ kind: 'STATUS', status: 200 });
      expect(good.totalConnections).toBe(1);
      for (const bad of [wrongHost, expired, selfSigned]) {
        expect(await post(bad.url)).toMatchObject({ kind: 'CONNECTION' });
        expect(bad.requests).toEqual([]);
      }
    });

    it('regression: a server that answers each connection before a request gets two of them for a delivery', async () => {
      const authority = await TestAuthority.create();
      later(() => authority.remove());
      const hasty = createTlsServer(await authority.issue({ dns: ['localhost'] }), socket => {
        connections++;
        socket.on('error', () => undefined).write(ok);
      });
      let connections = 0;
      await new Promise<void>(resolve => hasty.listen(0, '127.0.0.1', resolve));
      later(() => new Promise(resolve => hasty.close(resolve)));
      const guard = guardOf({ caFile: authority.caFile });
      const connect: buildConnector.connector = (options, callback) =>
        guard.connector({ connectTimeoutMs: patienceMs })(options, (...[error, socket]: Parameters<typeof callback>) => {
          const pass = () => (callback as (error: Error | null, socket: Socket | null) => void)(error, socket);
          // The answer stands on the connection before the request is written.
          if (socket) socket.once('readable', pass);
          else pass();
        });
      client = new UndiciWebhookClient({ connect, isOurFault, clock: new SystemClock() });
      const options = { ackWindowMs: patienceMs, connectBudgetMs: patienceMs, userAgent: 'Paycode/test' };
      posting = new PostWebhook(client, new PlainSealer(), new AckDeadlines(new SystemClock()), new SystemClock(), options);
      const { port } = hasty.address() as AddressInfo;
      expect(await post(`https://localhost:${port}/hook`)).toMatchObject({ kind: 'CONNECTION', code: 'ECONNRESET' });
      expect(connections).toBe(2);
    });

    it('a handshake that stalls ends with the connect budget (F-35)', async () => {
      use(guardOf(), { connectBudgetMs: shortMs });
      // Plain TCP: the client hello is never answered.
      expect(await post(`https://localhost:${receiver.port}/hook`)).toEqual({
        kind: 'CONNECTION',
        code: 'CONNECT_BUDGET',
        elapsedMs: null,
      });
    });
  });
});

/** No timer fires until the loop stalls; then all are due at once, in the next timers phase, before the loop reads anything. */
class StallingClock extends SystemClock {
  private stalledMs = 0;
  private readonly timers = new Map<() => void, NodeJS.Timeout | undefined>();

  override nowMs(): number {
    return super.nowMs() + this.stalledMs;
  }

  override after(_delayMs: number, run: () => void): CancelTimer {
    this.timers.set(run, undefined);
    return () => {
      clearTimeout(this.timers.get(run));
      this.timers.delete(run);
    };
  }

  stall(ms: number): void {
    this.stalledMs += ms;
    for (const run of this.timers.keys()) this.timers.set(run, setTimeout(run, 1));
    const dueAt = performance.now() + 2;
    while (performance.now() < dueAt);
  }
}

class LateClock extends SystemClock {
  lateMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.lateMs;
  }
}
