import { ackTokenHash } from '@paycode/crypto';
import type { AckReceived } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import { TestDnsServer } from '@paycode/safe-http/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { DispatcherRig } from './testing/running-dispatcher';
import { silence, status, WireReceiver } from './testing/wire-receiver';

describe('webhook dispatcher', () => {
  let rig: DispatcherRig;
  let receiver: WireReceiver;

  beforeEach(async () => {
    [rig, receiver] = await Promise.all([DispatcherRig.open(), WireReceiver.start()]);
    rig.route(1001, receiver.url);
    await rig.start();
  });
  afterEach(async () => {
    // The receiver stops first: a request that it leaves unanswered would delay the stop of the service for a whole
    // window.
    await receiver.stop();
    await rig.close();
  });

  const settledOf = (transactionId: number) => rig.neighbours.settled.find(item => item.transactionId === transactionId)?.verdict;

  describe('as in R-1-4, R-3.1-2, R-6.1-1, A-62', () => {
    it('one encrypted POST, base64 as text/plain, and 200 settles', async () => {
      await rig.publish(rig.terminal(notificationOf(1)));
      expect(await rig.verdict(1)).toBe('ACKED_HTTP');
      expect(receiver.requests).toHaveLength(1);
      const [{ method, headers, body }] = receiver.requests as [(typeof receiver.requests)[0]];
      expect(method).toBe('POST');
      expect(headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'x-webhook-encryption': 'AES-128-GCM',
        'x-webhook-transaction-id': '1',
        'x-webhook-attempt': '1',
        'x-webhook-timestamp': expect.stringMatching(/^\d{10}$/),
        'user-agent': expect.stringMatching(/^Paycode\/\d/),
      });
      expect(body).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
      expect(rig.decrypt(1001, body)).toMatchObject({ transactionId: 1, amount: 110.1, status: 'SUCCESS' });
      expect(body).not.toContain('Corner Shop');
    });
  });

  describe('as in R-1-6, R-3.1-1, R-6.2-1, P-I5', () => {
    it('the payment awaits its acknowledgement, armed, before the request leaves', async () => {
      let open!: () => void;
      await rig.publish(rig.terminal(notificationOf(1)));
      await rig.verdict(1);
      const arm = '/internal/reversals/arm';
      rig.neighbours.gates.set(arm, new Promise(resolve => (open = resolve)));
      rig.neighbours.asked.length = 0;
      await rig.publish(rig.terminal(notificationOf(2)));
      await eventually(() => expect(rig.neighbours.asked).toContain(arm));
      // This kind of payment needs no reversal. Once it is delivered, the payment before it could have been sent too.
      await rig.publish(rig.terminal(notificationOf(3, { status: 'BANK_REJECTED' })));
      await rig.verdict(3);
      expect(receiver.transactionIds).toEqual([1, 3]);
      expect((await rig.timeline(2))!.verdict).toBeNull();
      open();
      await rig.verdict(2);
      expect(receiver.transactionIds).toEqual([1, 3, 2]);
      // The dispatcher repeats an arm call that was answered late.
      expect(new Set(rig.neighbours.armed.map(item => item.transactionId))).toEqual(new Set([1, 2]));
    });
  });

  it('an acknowledgement carries the token whose hash its payment was armed with (T-18)', async () => {
    await rig.publish(rig.terminal(notificationOf(1)));
    await rig.verdict(1);
    await eventually(async () => expect(await rig.acknowledged()).toHaveLength(1));
    const [{ transactionId, ackToken }] = (await rig.acknowledged()) as [AckReceived];
    const hashes = rig.neighbours.armed.filter(item => item.transactionId === transactionId).map(item => item.ackTokenHash);
    expect(new Set(hashes)).toEqual(new Set([ackTokenHash(ackToken!)]));
  });

  describe('as in A-08, R-1-7, R-3.1-3', () => {
    it.each([201, 202, 204, 206, 301, 302, 307, 400, 401, 410, 429, 500, 503])(
      'a payment answered with %i is reversed at once',
      async code => {
        receiver.answer = status(code, 'location: /elsewhere\r\n');
        await rig.publish(rig.terminal(notificationOf(1)));
        expect(await rig.verdict(1)).toBe('CLOSED_NON200');
        expect((await rig.timeline(1))!.attempts).toMatchObject([{ attempt: 1, outcome: `HTTP ${code}` }]);
        expect(receiver.requests).toHaveLength(1);
      },
    );
  });

  it('a payment without an answer until the end of the window is reversed (R-3.1-4)', async () => {
    await rig.services[0]!.stop('test');
    await rig.start({ ACK_WINDOW_MS: '1500' });
    receiver.answer = silence;
    await rig.publish(rig.terminal(notificationOf(1)));
    expect(await rig.verdict(1)).toBe('CLOSED_TIMEOUT');
    expect((await rig.timeline(1))!.verdict!.elapsedMs).toBeGreaterThanOrEqual(1_500);
  });

  it('regression: a host that moved gets the next payment at its new address when the old server answers 503 (P-T12)', async () => {
    let address = '127.0.0.1';
    const dns = await TestDnsServer.start(() => [address]);
    const moved = await WireReceiver.start(undefined, { host: '127.0.0.2', port: receiver.port });
    try {
      await rig.services[0]!.stop('test');
      await rig.start({ OUTBOUND_DNS_SERVERS: dns.address });
      rig.route(1001, `http://shop.test:${receiver.port}/hook`);
      await rig.publish(rig.terminal(notificationOf(1)));
      expect(await rig.verdict(1)).toBe('ACKED_HTTP');
      address = '127.0.0.2';
      receiver.answer = status(503);
      await rig.publish(rig.terminal(notificationOf(2)));
      await rig.verdict(2);
      await rig.publish(rig.terminal(notificationOf(3)));
      expect(await rig.verdict(3)).toBe('ACKED_HTTP');
      expect(moved.transactionIds).toContain(3);
    } finally {
      await Promise.all([dns.stop(), moved.stop()]);
    }
  });

  it('a refused connection reverses (R-3.1-4)', async () => {
    rig.route(1002, 'http://localhost:1/hook');
    await rig.publish(rig.terminal(notificationOf(1, { merchantId: 1002 })));
    expect(await rig.verdict(1)).toBe('CLOSED_CONN');
    expect((await rig.timeline(1))!.attempts[0]!.outcome).toBe('CONNECTION: ECONNREFUSED');
  });

  it('a merchant without a webhook is settled at once and never armed (A-09)', async () => {
    rig.route(1002, null);
    await rig.publish(rig.terminal(notificationOf(1, { merchantId: 1002 })));
    expect(await rig.verdict(1)).toBe('NOT_APPLICABLE');
    // The scheduler hears of the verdict after its commit.
    await eventually(() => expect(settledOf(1)).toBe('NOT_APPLICABLE'));
    expect(rig.neighbours.armed).toEqual([]);
  });

  describe('as in A-01, A-03, P-I13', () => {
    it('failed, refund and reversal notices are delivered without arming', async () => {
      await rig.publish(
        rig.terminal(notificationOf(1, { status: 'BANK_REJECTED' })),
        rig.terminal(notificationOf(2, { status: 'REVERSED', referenceTransactionId: 9 }), {
          kind: 'REVERSAL',
          referenceTransactionId: 9,
        }),
        rig.terminal(notificationOf(3, { status: 'REFUNDED', referenceTransactionId: 8 }), {
          kind: 'REFUND',
          referenceTransactionId: 8,
        }),
      );
      for (const id of [1, 2, 3]) expect(await rig.verdict(id)).toBe('NOT_APPLICABLE');
      expect(receiver.transactionIds.sort()).toEqual([1, 2, 3]);
      expect([rig.neighbours.armed, rig.neighbours.settled]).toEqual([[], []]);
    });
  });

  it('a reversal that the core announces by itself is notified; it arms nothing, and the acknowledged payment stays acknowledged (A-74)', async () => {
    await rig.publish(rig.terminal(notificationOf(1)));
    const verdict = await rig.verdict(1);
    const [armed, settled] = [JSON.stringify(rig.neighbours.armed), settledOf(1)];
    const kind = { kind: 'REVERSAL', referenceTransactionId: 1 } as const;
    await rig.publish(rig.terminal(notificationOf(2, { status: 'REVERSED', referenceTransactionId: 1 }), kind));
    expect(await rig.verdict(2)).toBe('NOT_APPLICABLE');
    expect(receiver.transactionIds).toEqual([1, 2]);
    expect([await rig.verdict(1), JSON.stringify(rig.neighbours.armed), settledOf(1)]).toEqual([verdict, armed, settled]);
  });

  it('a hundred copies of an event cause one POST (P-I10, F-37)', async () => {
    const event = rig.terminal(notificationOf(1));
    await rig.publish(...Array.from({ length: 50 }, () => event));
    await rig.verdict(1);
    await rig.publish(...Array.from({ length: 50 }, () => event), rig.terminal(notificationOf(2)));
    await rig.verdict(2);
    expect(receiver.transactionIds).toEqual([1, 2]);
  });

  it("a payment that the scheduler has decided is not posted; its missing verdict follows the decision (P-I6, P-1.2-4')", async () => {
    rig.neighbours.decisions.set(1, 'SETTLED').set(3, 'REVERSED');
    await rig.publish(...[1, 2, 3].map(id => rig.terminal(notificationOf(id))));
    expect([await rig.verdict(1), await rig.verdict(2), await rig.verdict(3)]).toEqual([
      'NOT_APPLICABLE',
      'ACKED_HTTP',
      'CLOSED_BACKSTOP',
    ]);
    expect(receiver.transactionIds).toEqual([2]);
  });

  it('close: answers a verdict, OPEN for a held delivery, and closes a transaction that never came', async () => {
    receiver.answer = silence;
    await rig.publish(rig.terminal(notificationOf(1)));
    const item = (transactionId: number) => ({ transactionId, merchantId: 1001 });
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    expect((await rig.closeAs('reversal-scheduler', [item(1), item(7)])).data).toEqual([
      { transactionId: 1, verdict: 'OPEN' },
      { transactionId: 7, verdict: 'CLOSED_NEVER_SENT' },
    ]);
    expect((await rig.closeAs('payment-simulator', [item(1)])).status).toBe(403);
    expect((await rig.closeAs('reversal-scheduler', [{ transactionId: '1', merchantId: 1 }])).status).toBe(400);
  });
});
