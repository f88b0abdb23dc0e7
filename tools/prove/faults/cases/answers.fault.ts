import type { Decision } from '@paycode/dto';
import { eventually } from '@paycode/service-runtime/testing';
import { answerAfter, type Behaviour, type FaultReceiver, type WebhookPost } from '../environment/fault-receiver.ts';
import { patienceMs, times } from '../environment/fault-services.ts';
import { faultSuite } from '../environment/fault-platform.ts';

const { ackWindow } = times;
const mebibyte = 1_048_576;
const memoryGrowthMax = 192 * mebibyte;

/** Sends raw bytes in one packet. The receiver's log has no status for them, because they are no valid answer. */
const raw =
  (text: string): Behaviour =>
  ({ socket }) =>
    void socket.write(text);

/** A 200 with an endless body, sent as fast as it is read, or one byte at a time. */
function endlessBody(head: string, chunk: string, everyMs?: number): Behaviour {
  return post => {
    post.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
    if (everyMs) {
      const timer = setInterval(() => post.socket.write(chunk), everyMs);
      return void post.socket.on('close', () => clearInterval(timer));
    }
    const more = () => {
      while (!post.socket.destroyed && post.socket.write(chunk));
    };
    post.socket.on('drain', more);
    more();
  };
}

function slowly(text: string, everyMs: number): Behaviour {
  return ({ socket }) => {
    let at = 0;
    const timer = setInterval(() => socket.write(text[at++ % text.length]!), everyMs);
    socket.on('close', () => clearInterval(timer));
  };
}

faultSuite('a receiver answers', { times: { shardLease: 6_000 } }, suite => {
  const { faultCase } = suite;

  /** Each behaviour at a merchant of its own, all at once; gives the receivers' only posts. */
  const allEnd = (decision: Decision, behaviours: Behaviour[]) =>
    Promise.all(
      behaviours.map(async behaviour => {
        const { id, receiver } = await suite.platform.paidTo(behaviour);
        await suite.platform.ends(id, decision);
        expect(receiver.postsOf(id)).toHaveLength(1);
        return { id, receiver };
      }),
    );
  const elapsed = async (id: number) => {
    const sql = 'select elapsed_ms from verdict where transaction_id = $1';
    const rows = await suite.platform.databases.dispatcher.query<{ elapsed_ms: number | null }>('dispatcher', sql, [id]);
    return rows[0]!.elapsed_ms;
  };
  const memory = () => suite.platform.services.dispatchers.map(dispatcher => dispatcher.residentBytes);
  const staysFlat = async (play: () => Promise<unknown>) => {
    const before = memory();
    await play();
    memory().forEach((bytes, at) => expect(bytes - before[at]!).toBeLessThan(memoryGrowthMax));
  };
  /** Closed by the dispatcher. */
  const isDropped = (receiver: FaultReceiver) =>
    eventually(() => expect(receiver.posts[0]!.socket.destroyed).toBe(true), patienceMs);

  faultCase(20, 'with the dispatcher stopped for 2 s across the deadline and the 200 in the kernel - settled', async () => {
    const { id, receiver } = await suite.platform.paidTo(answerAfter(0.8 * ackWindow));
    const posted = await eventually(() => receiver.postsOf(id)[0] ?? Promise.reject(new Error('not yet')), patienceMs);
    const after = (ms: number) => eventually(() => expect(posted.elapsedMs()).toBeGreaterThan(ms), patienceMs);
    await after(0.7 * ackWindow);
    for (const dispatcher of suite.platform.services.dispatchers) dispatcher.pause();
    await after(0.7 * ackWindow + 2_000);
    for (const dispatcher of suite.platform.services.dispatchers) dispatcher.resume();
    await suite.platform.ends(id, 'SETTLED');
    expect(receiver.posts).toHaveLength(1);
  });

  faultCase(21, '200 shortly before the end of the window, shortly after, long after - settled; reversed; reversed', async () => {
    await Promise.all([
      allEnd('SETTLED', [answerAfter(0.9 * ackWindow)]),
      allEnd('REVERSED', [answerAfter(1.1 * ackWindow), answerAfter(1.33 * ackWindow)]),
    ]);
  });

  faultCase(22, '100 or 103, then 200 - settled; 100, then silence - reversed at the end of the window', async () => {
    const interim = (text: string) => (post: WebhookPost) => {
      post.write(text);
      post.answer(200);
    };
    const [, [silent]] = await Promise.all([
      allEnd('SETTLED', [
        interim('HTTP/1.1 100 Continue\r\n\r\n'),
        interim('HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'),
        interim('HTTP/1.1 100 Continue\r\n\r\n'.repeat(50)),
      ]),
      allEnd('REVERSED', [raw('HTTP/1.1 100 Continue\r\n\r\n')]),
    ]);
    expect(await elapsed(silent!.id)).toBeGreaterThanOrEqual(ackWindow);
  });

  faultCase(23, 'any final status but 200 - reversed at once, redirects not followed', async () => {
    const elsewhere = await suite.platform.receiver();
    const redirecting = [301, 302, 307].map(
      (status): Behaviour =>
        post =>
          post.write(`HTTP/1.1 ${status} X\r\nlocation: ${elsewhere.url}\r\ncontent-length: 0\r\n\r\n`),
    );
    const switching: Behaviour = post => post.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    const statuses = [201, 202, 204, 206, 400, 401, 410, 429, 500, 503].map(status => answerAfter(0, status));
    const ended = await allEnd('REVERSED', [...statuses, ...redirecting, switching]);
    for (const { id } of ended) expect(await elapsed(id)).toBeLessThan(ackWindow);
    expect(elsewhere.connections).toBe(0);
  });

  faultCase(24, '200 with 10 GB, endless, a byte at a time - settled at its headers, dropped, memory flat', async () => {
    const chunk = 'x'.repeat(65_536);
    await staysFlat(async () => {
      const ended = await allEnd('SETTLED', [
        endlessBody('content-length: 10737418240', chunk),
        endlessBody('transfer-encoding: chunked', `10000\r\n${chunk}\r\n`),
        endlessBody('content-length: 1000', 'x', 1_000),
      ]);
      await Promise.all(ended.map(({ receiver }) => isDropped(receiver)));
    });
  });

  faultCase(25, 'a reset right after the headers of a 200 - settled', async () => {
    await allEnd('SETTLED', [
      post => {
        post.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n');
        post.socket.write('', () => post.socket.resetAndDestroy());
      },
    ]);
  });

  faultCase(26, 'a reset before any byte, on a fresh connection - reversed', async () => {
    await allEnd('REVERSED', [({ socket }) => void socket.resetAndDestroy()]);
  });

  faultCase(27, 'a reset on a connection that had served before - repeated once on a fresh one, settled', async () => {
    const served = new Set<unknown>();
    const { merchantId, receiver } = await suite.platform.merchant(post => {
      if (served.has(post.socket)) return void post.socket.resetAndDestroy();
      served.add(post.socket);
      post.answer(200);
    });
    const [first] = await suite.platform.pay(merchantId);
    await suite.platform.ends(first!, 'SETTLED');
    // Each dispatcher has its own connections: some of these payments use the connection that has served before.
    const ids = (await Promise.all(Array.from({ length: 12 }, () => suite.platform.pay(merchantId)))).flat();
    await Promise.all(ids.map(id => suite.platform.ends(id, 'SETTLED')));
    const repeated = ids.filter(id => receiver.postsOf(id).length === 2);
    expect(repeated.length).toBeGreaterThan(0);
    for (const id of ids) expect(new Set(receiver.postsOf(id).map(post => post.attempt))).toEqual(new Set([1]));
  });

  faultCase(28, 'a header a byte at a time - reversed at the end of the window; too long - at once; memory flat', async () => {
    await staysFlat(async () => {
      const [[slow], tooLong] = await Promise.all([
        allEnd('REVERSED', [slowly(`HTTP/1.1 200 OK\r\n${'x-slow: 1\r\n'.repeat(100)}`, 50)]),
        allEnd('REVERSED', [
          raw(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(70_000)}\r\n\r\n`),
          raw(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}\r\n`),
        ]),
      ]);
      expect(await elapsed(slow!.id)).toBeGreaterThanOrEqual(ackWindow);
      for (const { id } of tooLong) expect(await elapsed(id)).toBeLessThan(ackWindow);
    });
  });

  faultCase(29, 'no HTTP, or HTTP that contradicts itself - reversed', async () => {
    await allEnd('REVERSED', [
      raw('HTP/1.1 200 OK\r\n\r\n'),
      raw('HTTP/1.1 2OO OK\r\n\r\n'),
      ({ socket }) => void socket.end('<html>OK</html>'),
      raw('HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-length: 5\r\n\r\n'),
      raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nZZ\r\n\r\n'),
    ]);
  });

  faultCase(30, 'by accepting the connection and reading nothing - reversed', async () => {
    const receiver = await suite.platform.receiver();
    receiver.onConnection = () => true;
    await suite.platform.ends(await suite.platform.paidAt(receiver.url), 'REVERSED');
    expect(receiver.connections).toBe(1);
  });

  faultCase(47, '200 to a half and 500 to a half - settled and reversed exactly as its log says', async () => {
    const answered = new Map<number, number>();
    const { merchantId } = await suite.platform.merchant(post => {
      const status = answered.size % 2 === 0 ? 200 : 500;
      answered.set(post.transactionId, status);
      post.answer(status);
    });
    const ids = await suite.platform.pay(merchantId, 400);
    await suite.platform.exactAudit();
    const rows = await suite.platform.databases.scheduler.query<{ id: string; kind: Decision }>(
      'scheduler',
      'select transaction_id as id, kind from decision where transaction_id = any($1)',
      [ids],
    );
    const expected = ids.map(id => [id, answered.get(id) === 200 ? 'SETTLED' : 'REVERSED']);
    expect(new Map(rows.map(({ id, kind }) => [Number(id), kind]))).toEqual(new Map(expected as [number, Decision][]));
  });

  faultCase(49, 'while a tenth of all answers between the services is lost - the audit is exact', async () => {
    const { merchantId } = await suite.platform.merchant(post => post.answer(post.transactionId % 10 === 0 ? 500 : 200));
    const took = async () => {
      const startedAt = performance.now();
      await suite.platform.pay(merchantId, 1_000);
      await suite.platform.exactAudit();
      return performance.now() - startedAt;
    };
    const undisturbedMs = await took();
    for (const way of [suite.platform.ways.toScheduler, suite.platform.ways.toDispatcher]) way.answersLost = 0.1;
    const disturbedMs = await took();
    process.stderr.write(
      `case 49: throughput with a tenth of the answers lost: ${Math.round((100 * undisturbedMs) / disturbedMs)} %\n`,
    );
  });
});
