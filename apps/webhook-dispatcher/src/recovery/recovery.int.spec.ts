import { type Identity, serializeNotification } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { dispatcherOf, DispatcherHarness } from '../testing/running-dispatcher';
import { silence, status, WireReceiver } from '../testing/wire-receiver';
import { VerdictStore } from '../verdicts/verdict.store';
import { AcknowledgeByPull } from './recover-notification';

describe('getNotification', () => {
  let harness: DispatcherHarness;
  let receiver: WireReceiver;
  const merchant: Partial<Identity> = { subject: 'merchant-1001', accountType: 'MERCHANT', ownerId: 1001, roles: ['EXTERNAL'] };
  const psp: Partial<Identity> = { subject: 'psp-1', accountType: 'PSP', ownerId: 1, roles: ['EXTERNAL'] };

  beforeEach(async () => {
    [harness, receiver] = await DispatcherHarness.withReceiver();
    await harness.start();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    // A call that a failed test left held back would delay the stop as well.
    for (const open of openers.splice(0)) open();
    await harness.close();
  });

  /** A payment whose POST is under way and not answered. */
  const pending = async (transactionId: number) => {
    receiver.answer = silence;
    await harness.publish(harness.terminal(notificationOf(transactionId)));
    await eventually(() => expect(receiver.transactionIds).toContain(transactionId));
  };

  const openers: (() => void)[] = [];
  /** Holds every call of the method back; `open` lets them go on, in order of arrival. */
  const hold = (method: 'acknowledge' | 'conclude') => {
    const store = harness.services[0]!.app.get(VerdictStore);
    let open!: () => void;
    const opened = new Promise<void>(resolve => (open = resolve));
    openers.push(open);
    const real = store[method].bind(store) as (...args: unknown[]) => Promise<never>;
    const held = jest.spyOn(store, method).mockImplementation(async (...args: unknown[]) => {
      await opened;
      return real(...args);
    });
    return { open, held };
  };

  describe('as in A-57, R-4.4-1, A-18', () => {
    it('answers the owner and its PSP the unencrypted notification, exact to the digit', async () => {
      await harness.publish(harness.terminal(notificationOf(1)));
      await harness.verdict(1);
      for (const caller of [merchant, psp]) {
        const answer = await harness.recover(1, caller);
        expect(answer.status).toBe(200);
        expect(answer.headers).toMatchObject({
          'cache-control': 'no-store',
          'content-type': expect.stringMatching(/^application\/json/),
        });
        expect(answer.data).toContain('"amount":110.10,');
        expect(JSON.parse(answer.data)).toMatchObject({ transactionId: 1, status: 'SUCCESS', clientMsisdn: '+27820000001' });
      }
    });
  });

  describe('as in R-3.1-5, R-4.4-4, A-15', () => {
    it('acknowledges a payment whose POST is under way; a later failure changes nothing', async () => {
      await pending(1);
      expect(JSON.parse((await harness.recover(1, merchant)).data)).toMatchObject({ status: 'SUCCESS' });
      expect(await harness.verdict(1)).toBe('ACKED_PULL');
      await eventually(async () =>
        expect(await harness.acknowledged()).toMatchObject([{ transactionId: 1, source: 'RECOVERY' }]),
      );
      await eventually(() => expect(harness.neighbours.settled).toMatchObject([{ transactionId: 1, verdict: 'ACKED_PULL' }]));
      status(500)(receiver.requests[0]!);
      await harness.publish(harness.terminal(notificationOf(2, { merchantId: 1002 })));
      await harness.verdict(2);
      expect(await harness.verdict(1)).toBe('ACKED_PULL');
    });
  });

  it('never says SUCCESS once the reversal began; every other field is that of the payment (A-14, A-83)', async () => {
    receiver.answer = status(500);
    await harness.publish(harness.terminal(notificationOf(1)));
    expect(await harness.verdict(1)).toBe('CLOSED_NON200');
    const body = serializeNotification(notificationOf(1));
    expect(body).toContain('"status":"SUCCESS"');
    expect((await harness.recover(1, merchant)).data).toBe(body.replace('"status":"SUCCESS"', '"status":"REVERSED"'));
    expect(body).toContain('"referenceTransactionId":0,');
    expect(await harness.verdict(1)).toBe('CLOSED_NON200');
  });

  describe('a payment that the core reverses by itself', () => {
    const statusOf = async (id: number) =>
      (JSON.parse((await harness.recover(id, merchant)).data) as { status: string; transactionId: number }).status;
    /** The core says that it gave the money back, or that it could not. */
    const announce = async (id: number, original: number, status: 'REVERSED' | 'FAILED') => {
      const notification = notificationOf(id, { status, referenceTransactionId: original });
      const changes = { kind: 'REVERSAL', txState: `END_${status === 'FAILED' ? 'REVERSAL_FAILED' : status}` } as const;
      await harness.publish(harness.terminal(notification, { ...changes, referenceTransactionId: original }));
      await eventually(async () => expect(await harness.timeline(id)).toBeDefined());
    };

    it('regression: reads REVERSED before anybody acknowledged it, and the read acknowledges nothing (A-14)', async () => {
      await pending(1);
      await announce(2, 1, 'REVERSED');
      for (let call = 1; call <= 3; call++) expect(await statusOf(1)).toBe('REVERSED');
      expect((await harness.recover(1, merchant)).data).toBe(serializeNotification(notificationOf(1, { status: 'REVERSED' })));
      expect((await harness.timeline(1))!.verdict).toBeNull();
      // The record holds only the server's answer.
      status(500)(receiver.requests[0]!);
      expect(await harness.verdict(1)).toBe('CLOSED_NON200');
      expect(await harness.acknowledged()).toEqual([]);
      expect(await statusOf(1)).toBe('REVERSED');
    });

    it('regression: reads REVERSED after its server acknowledged it (A-14)', async () => {
      await harness.publish(harness.terminal(notificationOf(1)));
      expect(await harness.verdict(1)).toBe('ACKED_HTTP');
      expect(await statusOf(1)).toBe('SUCCESS');
      await announce(2, 1, 'REVERSED');
      expect(await statusOf(1)).toBe('REVERSED');
    });

    it('regression: reads REVERSED when its server answers 200 afterwards; the core is not asked to reverse it again (A-14, A-74)', async () => {
      await pending(1);
      await announce(2, 1, 'REVERSED');
      status(200)(receiver.requests[0]!);
      expect(await harness.verdict(1)).toBe('ACKED_HTTP');
      expect(await statusOf(1)).toBe('REVERSED');
    });

    it('regression: reads REVERSED when the reversal comes before the payment (A-14)', async () => {
      receiver.answer = silence;
      await announce(2, 1, 'REVERSED');
      await pending(1);
      expect(await statusOf(1)).toBe('REVERSED');
      expect((await harness.timeline(1))!.verdict).toBeNull();
    });

    it('is not acknowledged by a read that found no reversal, when one is stored before the acknowledgement (A-14)', async () => {
      await pending(1);
      const { open, held } = hold('acknowledge');
      const call = statusOf(1);
      await eventually(() => expect(held).toHaveBeenCalled());
      await announce(2, 1, 'REVERSED');
      open();
      expect(await call).toBe('REVERSED');
      expect((await harness.timeline(1))!.verdict).toBeNull();
    });

    it('reads REVERSED from the first call after the reversal is stored, whatever calls race with it (A-14)', async () => {
      await pending(1);
      const racing = Array.from({ length: 20 }, () => statusOf(1));
      await announce(2, 1, 'REVERSED');
      expect(await statusOf(1)).toBe('REVERSED');
      // One that said SUCCESS had acknowledged it before.
      if ((await Promise.all(racing)).includes('SUCCESS')) expect(await harness.verdict(1)).toBe('ACKED_PULL');
      expect(await statusOf(1)).toBe('REVERSED');
    });

    it('regression: reads SUCCESS once the core could not reverse it, and REVERSED until then (A-14)', async () => {
      receiver.answer = status(500);
      await harness.publish(harness.terminal(notificationOf(1)));
      expect(await harness.verdict(1)).toBe('CLOSED_NON200');
      expect(await statusOf(1)).toBe('REVERSED');
      await announce(2, 1, 'FAILED');
      expect(await statusOf(1)).toBe('SUCCESS');
      expect(await harness.verdict(1)).toBe('CLOSED_NON200');
      expect(await harness.acknowledged()).toEqual([]);
      await announce(3, 1, 'REVERSED');
      expect(await statusOf(1)).toBe('REVERSED');
    });

    it('is acknowledged by the read as ever, when the core only said that it could not reverse it (A-74)', async () => {
      await pending(1);
      await announce(2, 1, 'FAILED');
      expect(await statusOf(1)).toBe('SUCCESS');
      expect(await harness.verdict(1)).toBe('ACKED_PULL');
    });

    it('does not touch other payments, nor does a refund (A-14)', async () => {
      await pending(1);
      await pending(3);
      await announce(2, 3, 'REVERSED');
      const refund = notificationOf(4, { status: 'REFUNDED', referenceTransactionId: 1 });
      await harness.publish(harness.terminal(refund, { kind: 'REFUND', txState: 'END_REFUNDED', referenceTransactionId: 1 }));
      await eventually(async () => expect(await harness.timeline(4)).toBeDefined());
      expect(await statusOf(1)).toBe('SUCCESS');
      expect(await harness.verdict(1)).toBe('ACKED_PULL');
    });
  });

  describe('fifty calls that race with the failing POST', () => {
    const statusesOf = async (calls: Promise<{ status: number; data: string }>[]) =>
      (await Promise.all(calls)).map(({ status: code, data }) => [code, (JSON.parse(data) as { status: string }).status]);
    const fiftyCalls = (id: number) => Array.from({ length: 50 }, () => harness.recover(id, merchant));
    const fifty = (answer: string) => Array.from({ length: 50 }, () => [200, answer]);

    describe('as in R-4.4-3, T-20, P-I9', () => {
      it('all answer SUCCESS when they are written first, and the failure changes nothing', async () => {
        await pending(1);
        const { open, held } = hold('conclude');
        status(500)(receiver.requests[0]!);
        await eventually(() => expect(held).toHaveBeenCalled());
        expect(await statusesOf(fiftyCalls(1))).toEqual(fifty('SUCCESS'));
        open();
        await eventually(() => expect(dispatcherOf(harness.services[0]!).queue.load.held).toBe(0));
        expect(await harness.verdict(1)).toBe('ACKED_PULL');
        expect(await statusesOf(fiftyCalls(1))).toEqual(fifty('SUCCESS'));
      });
    });

    describe('as in R-4.4-3, T-20, A-14', () => {
      it('all answer REVERSED when the failure is written first, although each had found no verdict', async () => {
        await pending(1);
        const asked = jest.spyOn(AcknowledgeByPull.prototype, 'acknowledge');
        const { open } = hold('acknowledge');
        const calls = fiftyCalls(1);
        await eventually(() => expect(asked).toHaveBeenCalledTimes(50));
        expect(asked.mock.calls.map(([found]) => found.verdict)).toEqual(Array.from({ length: 50 }, () => null));
        status(500)(receiver.requests[0]!);
        expect(await harness.verdict(1)).toBe('CLOSED_NON200');
        open();
        expect(await statusesOf(calls)).toEqual(fifty('REVERSED'));
        expect(await harness.verdict(1)).toBe('CLOSED_NON200');
      });
    });

    it('whichever is first, the fifty answers and the decision agree (R-4.4-3, T-20)', async () => {
      for (let id = 1; id <= 8; id++) {
        await pending(id);
        const calls = Array.from({ length: 50 }, (_, n) => {
          if (n === 6 * id) status(500)(receiver.requests.at(-1)!);
          return harness.recover(id, merchant);
        });
        const answers = await statusesOf(calls);
        expect(answers).toEqual(fifty((await harness.verdict(id)) === 'ACKED_PULL' ? 'SUCCESS' : 'REVERSED'));
      }
    });
  });

  it('reading a failed notice has no side effect (A-17)', async () => {
    await harness.publish(harness.terminal(notificationOf(1, { status: 'BANK_REJECTED' })));
    await harness.verdict(1);
    expect(JSON.parse((await harness.recover(1, merchant)).data)).toMatchObject({ status: 'BANK_REJECTED' });
    expect(await harness.verdict(1)).toBe('NOT_APPLICABLE');
    expect(harness.neighbours.settled).toEqual([]);
  });

  it('foreign, unknown and malformed ids get one and the same 404 (A-16, T-24)', async () => {
    await harness.publish(harness.terminal(notificationOf(1)));
    await harness.verdict(1);
    await harness.closeAs('reversal-scheduler', [{ transactionId: 5, merchantId: 1001 }]);
    const bodyOf = async (id: number | string, caller: Partial<Identity>) => {
      const answer = await harness.recover(id, caller);
      const { timestamp: _t, requestId: _r, path: _p, ...body } = JSON.parse(answer.data) as Record<string, unknown>;
      return [answer.status, body];
    };
    const stk: Partial<Identity> = { ...psp, accountType: 'STK', ownerId: null };
    const answers = await Promise.all([
      bodyOf(1, { ...merchant, ownerId: 1002 }),
      bodyOf(1, { ...psp, ownerId: 2 }),
      bodyOf(1, stk),
      bodyOf(2, merchant),
      bodyOf(5, merchant),
      bodyOf('abc', merchant),
      bodyOf('9007199254740993', merchant),
    ]);
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]![0]).toBe(404);
  });

  it('a read by another merchant acknowledges nothing; the payment is reversed as without it (R-4.4-2, T-24)', async () => {
    await pending(1);
    for (const caller of [
      { ...merchant, ownerId: 1002 },
      { ...psp, ownerId: 2 },
    ])
      expect((await harness.recover(1, caller)).status).toBe(404);
    status(500)(receiver.requests[0]!);
    expect(await harness.verdict(1)).toBe('CLOSED_NON200');
  });

  it('needs an identity, and the EXTERNAL role (R-5.5-2)', async () => {
    expect((await harness.recover(1, undefined)).status).toBe(401);
    expect((await harness.recover(1, { ...merchant, roles: ['STK'] })).status).toBe(403);
  });

  it('answers 503, not a notification, when the acknowledgement cannot be made durable (P-I9)', async () => {
    await pending(1);
    await harness.database.dataSource.query('alter table verdict rename to verdict_away');
    // Back before any assertion: without its table no service can stop, and the reason of a failure would be lost.
    const refused = await harness
      .recover(1, merchant)
      .finally(() => harness.database.dataSource.query('alter table verdict_away rename to verdict'));
    expect(refused.status).toBe(503);
    expect((await harness.recover(1, merchant)).status).toBe(200);
  });
});
