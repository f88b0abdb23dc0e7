import { ackTokenHash } from '@paycode/crypto';
import type { AckReceived } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import { TestDnsServer } from '@paycode/safe-http/testing';
import { describeListeners, eventually } from '@paycode/service-runtime/testing';
import type { RunningService } from '@paycode/service-runtime';
import { DispatcherHarness, dispatcherOf } from './testing/running-dispatcher';
import { silence, status, WireReceiver, type WireRequest } from './testing/wire-receiver';
import { PostWindow } from './deliveries/domain/post-window';

describe('webhook dispatcher', () => {
  let harness: DispatcherHarness;
  let receiver: WireReceiver;

  beforeEach(async () => {
    [harness, receiver] = await DispatcherHarness.withReceiver();
    await harness.start();
  });
  afterEach(() => harness.close());

  const settledOf = (transactionId: number) =>
    harness.neighbours.settled.find(item => item.transactionId === transactionId)?.verdict;

  describe('as in R-1-4, R-3.1-2, R-6.1-1, A-62', () => {
    it('one encrypted POST, base64 as text/plain, and 200 settles', async () => {
      await harness.publish(harness.terminal(notificationOf(1)));
      expect(await harness.verdict(1)).toBe('ACKED_HTTP');
      expect(receiver.requests).toHaveLength(1);
      const [{ method, headers, body }] = receiver.requests as [(typeof receiver.requests)[0]];
      expect(method).toBe('POST');
      expect(headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'x-webhook-encryption': 'AES-128-GCM',
        'x-webhook-key-id': expect.stringMatching(/^[0-9a-f]{16}$/),
        'x-webhook-transaction-id': '1',
        'x-webhook-attempt': '1',
        'x-webhook-timestamp': expect.stringMatching(/^\d{10}$/),
        'user-agent': expect.stringMatching(/^Paycode\/\d/),
      });
      expect(body).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
      expect(harness.decrypt(1001, body)).toMatchObject({ transactionId: 1, amount: 110.1, status: 'SUCCESS' });
      expect(body).not.toContain('Corner Shop');
    });
  });

  describe('as in R-1-6, R-3.1-1, R-6.2-1, P-I5', () => {
    it('the payment awaits its acknowledgement, armed, before the request leaves', async () => {
      let open!: () => void;
      await harness.publish(harness.terminal(notificationOf(1)));
      await harness.verdict(1);
      const arm = '/internal/reversals/arm';
      harness.neighbours.gates.set(arm, new Promise(resolve => (open = resolve)));
      harness.neighbours.asked.length = 0;
      await harness.publish(harness.terminal(notificationOf(2)));
      await eventually(() => expect(harness.neighbours.asked).toContain(arm));
      // This kind of payment needs no reversal. Once it is delivered, the payment before it could have been sent too.
      await harness.publish(harness.terminal(notificationOf(3, { status: 'BANK_REJECTED' })));
      await harness.verdict(3);
      expect(receiver.transactionIds).toEqual([1, 3]);
      expect((await harness.timeline(2))!.verdict).toBeNull();
      open();
      await harness.verdict(2);
      expect(receiver.transactionIds).toEqual([1, 3, 2]);
      // The dispatcher repeats an arm call that was answered late.
      expect(new Set(harness.neighbours.armed.map(item => item.transactionId))).toEqual(new Set([1, 2]));
    });
  });

  it('an acknowledgement carries the token whose hash its payment was armed with (T-18)', async () => {
    await harness.publish(harness.terminal(notificationOf(1)));
    await harness.verdict(1);
    await eventually(async () => expect(await harness.acknowledged()).toHaveLength(1));
    const [{ transactionId, ackToken }] = (await harness.acknowledged()) as [AckReceived];
    const hashes = harness.neighbours.armed.filter(item => item.transactionId === transactionId).map(item => item.ackTokenHash);
    expect(new Set(hashes)).toEqual(new Set([ackTokenHash(ackToken!)]));
  });

  describe('as in A-08, R-1-7, R-3.1-3', () => {
    it.each([201, 202, 204, 206, 301, 302, 307, 400, 401, 410, 429, 500, 503])(
      'a payment answered with %i is reversed at once',
      async code => {
        receiver.answer = status(code, 'location: /elsewhere\r\n');
        await harness.publish(harness.terminal(notificationOf(1)));
        expect(await harness.verdict(1)).toBe('CLOSED_NON200');
        expect((await harness.timeline(1))!.attempts).toMatchObject([{ attempt: 1, outcome: `HTTP ${code}` }]);
        expect(receiver.requests).toHaveLength(1);
      },
    );
  });

  it('regression: a host that moved gets the next payment at its new address when the old server answers 503 (P-T12)', async () => {
    let address = '127.0.0.1';
    const dns = await TestDnsServer.start(() => [address]);
    const moved = await WireReceiver.start(undefined, { host: '127.0.0.2', port: receiver.port });
    try {
      await harness.services[0]!.stop('test');
      await harness.start({ OUTBOUND_DNS_SERVERS: dns.address });
      harness.route(1001, `http://shop.test:${receiver.port}/hook`);
      await harness.publish(harness.terminal(notificationOf(1)));
      expect(await harness.verdict(1)).toBe('ACKED_HTTP');
      address = '127.0.0.2';
      receiver.answer = status(503);
      await harness.publish(harness.terminal(notificationOf(2)));
      await harness.verdict(2);
      await harness.publish(harness.terminal(notificationOf(3)));
      expect(await harness.verdict(3)).toBe('ACKED_HTTP');
      expect(moved.transactionIds).toContain(3);
    } finally {
      await Promise.all([dns.stop(), moved.stop()]);
    }
  });

  describe('as in A-01, A-03, P-I13', () => {
    it('failed, refund and reversal notices are delivered without arming', async () => {
      await harness.publish(
        harness.terminal(notificationOf(1, { status: 'BANK_REJECTED' })),
        harness.terminal(notificationOf(2, { status: 'REVERSED', referenceTransactionId: 9 }), {
          kind: 'REVERSAL',
          referenceTransactionId: 9,
        }),
        harness.terminal(notificationOf(3, { status: 'REFUNDED', referenceTransactionId: 8 }), {
          kind: 'REFUND',
          referenceTransactionId: 8,
        }),
      );
      for (const id of [1, 2, 3]) expect(await harness.verdict(id)).toBe('NOT_APPLICABLE');
      expect(receiver.transactionIds.sort()).toEqual([1, 2, 3]);
      expect([harness.neighbours.armed, harness.neighbours.settled]).toEqual([[], []]);
    });
  });

  it('a reversal that the core announces by itself is notified; it arms nothing, and the acknowledged payment stays acknowledged (A-74)', async () => {
    await harness.publish(harness.terminal(notificationOf(1)));
    const verdict = await harness.verdict(1);
    const [armed, settled] = [JSON.stringify(harness.neighbours.armed), settledOf(1)];
    const kind = { kind: 'REVERSAL', referenceTransactionId: 1 } as const;
    await harness.publish(harness.terminal(notificationOf(2, { status: 'REVERSED', referenceTransactionId: 1 }), kind));
    expect(await harness.verdict(2)).toBe('NOT_APPLICABLE');
    expect(receiver.transactionIds).toEqual([1, 2]);
    expect([await harness.verdict(1), JSON.stringify(harness.neighbours.armed), settledOf(1)]).toEqual([verdict, armed, settled]);
  });

  it('a hundred copies of an event cause one POST (P-I10, F-37)', async () => {
    const event = harness.terminal(notificationOf(1));
    await harness.publish(...Array.from({ length: 50 }, () => event));
    await harness.verdict(1);
    await harness.publish(...Array.from({ length: 50 }, () => event), harness.terminal(notificationOf(2)));
    await harness.verdict(2);
    expect(receiver.transactionIds).toEqual([1, 2]);
  });

  it('close: answers a verdict, OPEN for a held delivery, and closes a transaction that never came', async () => {
    receiver.answer = silence;
    await harness.publish(harness.terminal(notificationOf(1)));
    const item = (transactionId: number) => ({ transactionId, merchantId: 1001 });
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    expect((await harness.closeAs('reversal-scheduler', [item(1), item(7)])).data).toEqual([
      { transactionId: 1, verdict: 'OPEN' },
      { transactionId: 7, verdict: 'CLOSED_NEVER_SENT' },
    ]);
    expect((await harness.closeAs('payment-simulator', [item(1)])).status).toBe(403);
    expect((await harness.closeAs('reversal-scheduler', [{ transactionId: '1', merchantId: 1 }])).status).toBe(400);
  });
});

describe('listeners of webhook-dispatcher', () => {
  let harness: DispatcherHarness;
  let service: RunningService;
  beforeAll(async () => {
    harness = await DispatcherHarness.open();
    service = await harness.start();
  });
  afterAll(() => harness.close());

  describeListeners(() => service);
});

/** The assembled service without any protocol setting, as a deployment runs it that keeps the defaults. */
describe('the webhook dispatcher as shipped', () => {
  let harness: DispatcherHarness;
  let receiver: WireReceiver;

  beforeEach(async () => {
    [harness, receiver] = await DispatcherHarness.withReceiver();
    await harness.startAsShipped();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await harness.close();
  });

  it('gives a receiver exactly 45 s from the last request byte, and 10 s before it to connect and write (R-8-1, A-05)', async () => {
    const windows: { connectMs: number; ackMs: number }[] = [];
    const sent = jest.spyOn(PostWindow.prototype, 'sent').mockImplementation(function (this: PostWindow, nowMs) {
      const connectMs = this.dueMs - (this as unknown as { startedMs: number }).startedMs;
      sent.mockRestore();
      this.sent(nowMs);
      windows.push({ connectMs, ackMs: this.dueMs - nowMs });
    });
    await harness.publish(harness.terminal(notificationOf(1)));
    await harness.verdict(1);
    expect(receiver.requests).toHaveLength(1);
    // Instants have fractions of a millisecond, and a difference of two of them may miss the last binary digit.
    expect(windows).toEqual([{ connectMs: expect.closeTo(10_000, 6), ackMs: expect.closeTo(45_000, 6) }]);
  });

  it('closes a payment that it could not send for 15 min, and posts a payment twice at most (A-12, A-13)', () => {
    expect(dispatcherOf(harness.services[0]!).overdue.rules).toEqual({ attemptsMax: 2, dispatchWindowMs: 900_000 });
  });

  it('a replica is dead when its heartbeat stood still for 10 s, and sends one every second (P-T6)', () => {
    const { heartbeatMs, leaseMs } = dispatcherOf(harness.services[0]!).shards;
    expect({ heartbeatMs, leaseMs }).toEqual({ heartbeatMs: 1_000, leaseMs: 10_000 });
  });
});

describe('several dispatchers', () => {
  let harness: DispatcherHarness;
  let receiver: WireReceiver;

  beforeEach(async () => void ([harness, receiver] = await DispatcherHarness.withReceiver()));
  afterEach(() => harness.close());

  const verdicts = async () => {
    const rows = await harness.database.dataSource.query<{ kind: string; count: string }[]>(
      'select kind, count(*) from verdict group by kind',
    );
    return Object.fromEntries(rows.map(row => [row.kind, Number(row.count)]));
  };

  it('a rolling restart under load causes no second POST and no reversal (P-T9, F-50)', async () => {
    let [old, next] = [await harness.start(), await harness.start()];
    let id = 0;
    const held: WireRequest[] = [];
    const publish = (count: number) =>
      harness.publish(...Array.from({ length: count }, () => harness.terminal(notificationOf(++id))));
    for (let round = 0; round < 3; round++) {
      // Both replicas have requests in flight when one is ordered to stop; they are answered once it is stopping.
      receiver.answer = request => void held.push(request);
      await publish(60);
      await eventually(() => expect([old, next].map(each => dispatcherOf(each).queue.load.inFlight > 0)).toEqual([true, true]));
      const stopping = old.stop('SIGTERM');
      await publish(60);
      receiver.answer = status(200);
      held.splice(0).forEach(status(200));
      await stopping;
      [old, next] = [next, await harness.start()];
      await publish(60);
    }
    await eventually(async () => expect(await verdicts()).toEqual({ ACKED_HTTP: id }));
    expect(receiver.transactionIds).toHaveLength(id);
    expect(new Set(receiver.transactionIds).size).toBe(id);
    expect(receiver.requests.every(request => request.headers['x-webhook-attempt'] === '1')).toBe(true);
  });

  it('a scale-in from four to two with 1,000 POSTs in flight loses, doubles and reverses nothing (P-T9)', async () => {
    const [endpoints, each] = [250, 4];
    const held: WireRequest[] = [];
    const many = await Promise.all(Array.from({ length: endpoints }, () => WireReceiver.start()));
    try {
      many.forEach(({ url }, at) => harness.route(2_000 + at, url));
      for (const one of many) one.answer = request => void held.push(request);
      const services = await Promise.all(Array.from({ length: 4 }, () => harness.start()));
      // A shard that moves waits for its POSTs in flight (P-T9), which are answered below: no shard may still be on its way.
      await eventually(() => expect(services.map(service => dispatcherOf(service).shards.shards.size)).toEqual([64, 64, 64, 64]));
      const inFlight = () => services.map(service => dispatcherOf(service).queue.load.inFlight);
      await harness.publish(
        ...Array.from({ length: endpoints * each }, (_, at) =>
          harness.terminal(notificationOf(at + 1, { merchantId: 2_000 + (at % endpoints) })),
        ),
      );
      await eventually(() => expect(inFlight().reduce((sum, count) => sum + count)).toBe(endpoints * each));
      expect(inFlight().every(count => count > 0)).toBe(true);
      const stopping = services.slice(0, 2).map(service => service.stop('SIGTERM'));
      for (const one of many) one.answer = status(200);
      held.splice(0).forEach(status(200));
      await Promise.all(stopping);
      await eventually(async () => expect(await verdicts()).toEqual({ ACKED_HTTP: endpoints * each }));
      const posts = many.flatMap(({ transactionIds }) => transactionIds);
      expect([posts.length, new Set(posts).size]).toEqual([endpoints * each, endpoints * each]);
    } finally {
      await Promise.all(many.map(one => one.stop()));
    }
  });

  it('share the shards, and one that stops leaves its shards to the other at once', async () => {
    const [first, second] = [await harness.start(), await harness.start()];
    const shards = (service: typeof first) => dispatcherOf(service).shards.held.length;
    await eventually(() =>
      expect([shards(first) > 0, shards(second) > 0, shards(first) + shards(second)]).toEqual([true, true, 256]),
    );
    await first.stop('SIGTERM');
    await eventually(() => expect(shards(second)).toBe(256));
  });
});
