import type { PortalAnswer, PortalShownNotification } from '@paycode/dto';
import { serializeNotification } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { DispatcherHarness } from '../testing/running-dispatcher';
import { silence, status, WireReceiver } from '../testing/wire-receiver';

describe('a notification that people read in the portal', () => {
  let harness: DispatcherHarness;
  let receiver: WireReceiver;
  beforeAll(async () => {
    [harness, receiver] = await DispatcherHarness.withReceiver();
    await harness.start();
    receiver.answer = silence;
    await harness.publish(harness.terminal(notificationOf(1)));
    await eventually(() => expect(receiver.transactionIds).toContain(1));
  });
  afterAll(() => harness.close());

  const ask = async <T>(operation: string, body: { merchantId: number; transactionId: number }, person = {}) => {
    const of = { tenantId: String(body.merchantId), ...person };
    const { status, data } = await harness.sendFor(of, `/internal/portal/notifications/${operation}`, body);
    return { status, answer: data as PortalAnswer<T> };
  };

  it('is the text that the receiver decrypts, with a request under the same key; showing it acknowledges nothing (A-15)', async () => {
    const { answer } = await ask<PortalShownNotification>('show', { transactionId: 1, merchantId: 1001 });
    if (!answer.ok) throw new Error(answer.message);
    const { body, isErased, request } = answer.value;
    expect([body, isErased]).toEqual([serializeNotification(notificationOf(1)), false]);
    const sent = receiver.requests[0]!;
    expect(harness.decrypt(1001, request!.body)).toEqual(harness.decrypt(1001, sent.body));
    expect(request!.body).not.toBe(sent.body);
    const { 'x-webhook-timestamp': now, ...headers } = request!.headers;
    expect(sent.headers).toMatchObject(headers);
    expect(Number(now)).toBeGreaterThanOrEqual(Number(sent.headers['x-webhook-timestamp']));
    expect((await harness.timeline(1))?.verdict).toBeNull();
  });

  it('is shown to people of the PSP of its merchant, and of no other PSP or acquirer (A-18, T-24)', async () => {
    const of = { transactionId: 1, merchantId: 1001 };
    const shown = async (tenantType: 'PSP' | 'ACQUIRER', tenantId: string) =>
      (await ask('show', of, { tenantType, tenantId })).status;
    expect(await shown('PSP', '1')).toBe(200);
    expect([await shown('PSP', '2'), await shown('ACQUIRER', 'Bank')]).toEqual([403, 403]);
  });

  it('is answered to the portal alone, for people of the merchant that it names (T-24, T-27)', async () => {
    for (const operation of ['show', 'fetch', 'repeat']) {
      const path = `/internal/portal/notifications/${operation}`;
      const of = { transactionId: 1, merchantId: 1001 };
      expect((await harness.send(path, of, 'notification-config')).status).toBe(403);
      expect((await harness.send(path, of, 'portal')).status).toBe(401);
      expect((await ask(operation, of, { tenantId: '1002' })).status).toBe(403);
      for (const foreign of [
        { transactionId: 1, merchantId: 1002 },
        { transactionId: 9, merchantId: 1001 },
      ])
        expect((await ask(operation, foreign)).answer).toMatchObject({ ok: false, status: 404 });
      expect((await ask(operation, { transactionId: 0, merchantId: 1001 })).status).toBe(400);
    }
    expect((await harness.timeline(1))?.verdict).toBeNull();
  });

  it('is sent once more when it moves no money, and a payment never (A-13, P-I8)', async () => {
    const payment = await ask('repeat', { transactionId: 1, merchantId: 1001 });
    expect(payment.answer).toMatchObject({ ok: false, status: 409, reason: 'MOVES_MONEY' });
    receiver.answer = status(200);
    await harness.publish(harness.terminal(notificationOf(2, { status: 'BANK_REJECTED' })));
    await eventually(async () => expect((await harness.timeline(2))?.verdict).toBeTruthy());
    expect((await ask('repeat', { transactionId: 2, merchantId: 1001 })).answer).toMatchObject({ ok: true });
    const attempts = () =>
      receiver.requests
        .filter(({ headers }) => headers['x-webhook-transaction-id'] === '2')
        .map(({ headers }) => headers['x-webhook-attempt']);
    await eventually(() => expect(attempts()).toEqual(['1', '2']));
    expect(receiver.transactionIds.filter(id => id === 1)).toEqual([1]);
  });

  it('is acknowledged when it is fetched, as by getNotification (R-3.1-5)', async () => {
    const { answer } = await ask<{ body: string }>('fetch', { transactionId: 1, merchantId: 1001 });
    expect(answer).toEqual({ ok: true, value: { body: serializeNotification(notificationOf(1)) } });
    expect(await harness.verdict(1)).toBe('ACKED_PULL');
  });

  it('says that the payer was erased', async () => {
    const erased = await harness.send('/internal/erasures', { transactionIds: [1] });
    expect(erased.status).toBe(200);
    const { answer } = await ask<PortalShownNotification>('show', { transactionId: 1, merchantId: 1001 });
    expect(answer).toMatchObject({ ok: true, value: { isErased: true, body: expect.not.stringContaining('27820000001') } });
  });
});
