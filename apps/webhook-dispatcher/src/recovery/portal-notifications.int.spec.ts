import type { ServiceName } from '@paycode/access';
import type { PortalAnswer, PortalShownNotification } from '@paycode/dto';
import { serializeNotification } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import { eventually } from '@paycode/service-runtime/testing';
import axios from 'axios';
import { DispatcherHarness } from '../testing/running-dispatcher';
import { silence, status, WireReceiver } from '../testing/wire-receiver';

const http = axios.create({ validateStatus: () => true });

describe('a notification that people read in the portal', () => {
  let harness: DispatcherHarness;
  let receiver: WireReceiver;
  beforeAll(async () => {
    [harness, receiver] = await Promise.all([DispatcherHarness.open(), WireReceiver.start()]);
    harness.route(1001, receiver.url);
    await harness.start();
    receiver.answer = silence;
    await harness.publish(harness.terminal(notificationOf(1)));
    await eventually(() => expect(receiver.transactionIds).toContain(1));
  });
  afterAll(async () => {
    await receiver.stop();
    await harness.close();
  });

  const ask = async <T>(operation: string, body: unknown, caller: ServiceName = 'portal') => {
    const url = `http://127.0.0.1:${harness.services[0]!.ports.internal}/internal/portal/notifications/${operation}`;
    const { status, data } = await http.post<PortalAnswer<T>>(url, body, { headers: harness.headersOf(caller) });
    return { status, answer: data };
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

  it('is answered to the portal alone, of the merchant that it names (T-24, T-27)', async () => {
    for (const operation of ['show', 'fetch', 'repeat']) {
      expect((await ask(operation, { transactionId: 1, merchantId: 1001 }, 'notification-config')).status).toBe(403);
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
    const erased = await http.post<unknown>(
      `http://127.0.0.1:${harness.services[0]!.ports.internal}/internal/erasures`,
      { transactionIds: [1] },
      { headers: { authorization: `Bearer ${harness.operatorToken()}` } },
    );
    expect(erased.status).toBe(200);
    const { answer } = await ask<PortalShownNotification>('show', { transactionId: 1, merchantId: 1001 });
    expect(answer).toMatchObject({ ok: true, value: { isErased: true, body: expect.not.stringContaining('27820000001') } });
  });
});
