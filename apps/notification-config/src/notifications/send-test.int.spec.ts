import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { importWebhookKey, webhookEnvelope, webhookKeyId } from '@paycode/crypto';
import { type EncryptionProfile, type PortalAnswer, parseNotification, type TestNotificationResult } from '@paycode/dto';
import type { ProbeOutcome } from '@paycode/safe-http';
import { manyProbes, TestNotificationConfig } from '../testing/running-service';
import { testIdMin } from './domain/test-notification';

type Result = TestNotificationResult<ProbeOutcome>;
/** A merchant's burst, which does not refill while a test runs. */
const noRefill = { probes: { ...manyProbes.probes, merchant: { burst: 6, refillMs: 3_600_000 } } };

describe('a test notification', () => {
  let service: TestNotificationConfig;
  let receiver: Server;
  let key: string;
  let merchantId = 4_000;
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];

  const opened = (body: string, profile: EncryptionProfile = 'AES-128-GCM'): string =>
    webhookEnvelope(profile).decrypt(importWebhookKey(key), body).toString('utf8');
  /** Answers as a receiver should: it takes what it can open and read. */
  const careful = (body: string): number => {
    try {
      opened(body);
      return 200;
    } catch {
      return 400;
    }
  };
  let answer: (body: string) => number = careful;

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      void text(request).then(body => {
        received.push({ headers: request.headers, body });
        response.writeHead(request.headers['content-type'] === 'application/json' ? 200 : answer(body)).end();
      });
    });
    const listening = new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    [service] = await Promise.all([TestNotificationConfig.startWith(noRefill), listening]);
  });
  const withUrl = async (): Promise<void> => {
    await service.saveMerchant(merchantId, { merchantName: 'Corner Café', acquirer: 'Bank' });
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { data } = await service.post('addHttp', { merchantId, url, version: 'V3' });
    key = (data as { encryptKey: string }).encryptKey;
  };
  beforeEach(async () => {
    answer = careful;
    merchantId += 1;
    await withUrl();
    received.length = 0;
  });
  afterAll(() => Promise.all([service.stop(), new Promise(resolve => receiver.close(resolve))]));

  const send = async (body: object = {}, of: TestNotificationConfig = service) => {
    const sent = await of.internal('post', `/internal/merchants/${merchantId}/test-notification`, { body });
    return { status: sent.status, data: sent.data as Result & { message?: string } };
  };
  const records = () =>
    service.database.dataSource.query<{ actor: string; detail: object }[]>(
      "select actor, detail from audit_event where merchant_id = $1 and kind = 'TEST_SENT'",
      [merchantId],
    );

  it.each(['AES-128-GCM', 'AES-128-CBC-LEGACY'] as const)(
    'comes as a payment does, under the key and the profile of the merchant, and says that it is a test: %s (R-2.5-3)',
    async profile => {
      answer = () => 200;
      await service.internal('put', `/internal/merchants/${merchantId}/encryption`, { body: { profile } });
      const { data } = await send();
      expect(data).toMatchObject({ isAccepted: true, status: 200, encryption: profile });
      const { headers, body } = received[0]!;
      const json = opened(body, profile);
      expect(json).toContain('"amount":0.00,');
      const { transactionId, reference } = data;
      expect(transactionId).toBeGreaterThanOrEqual(testIdMin);
      expect(reference).toBe(`TEST-${transactionId}`);
      expect(parseNotification(json)).toMatchObject({ transactionId, reference, merchantId, merchantName: 'Corner Café' });
      expect(headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'x-webhook-encryption': webhookEnvelope(profile).headerValue,
        'x-webhook-transaction-id': String(transactionId),
        'x-webhook-attempt': '1',
        'x-webhook-test': '1',
      });
    },
  );

  it('shows that the receiver opened it: the receiver refuses one under a key that nobody has (R-6.2-7)', async () => {
    expect((await send()).data).toMatchObject({ isAccepted: true, status: 200, isOpened: 'YES' });
    const ids = received.map(({ headers }) => headers['x-webhook-transaction-id']);
    expect(new Set(ids).size).toBe(2);
    expect(received.map(({ headers }) => headers['x-webhook-test'])).toEqual(['1', '1']);
    const keyIds = received.map(({ headers }) => headers['x-webhook-key-id']);
    expect(keyIds).toEqual([webhookKeyId(importWebhookKey(key)), expect.not.stringContaining(keyIds[0] as string)]);
    expect(received.map(({ body }) => careful(body))).toEqual([200, 400]);
  });

  it('shows that the receiver answers 200 to what it cannot open', async () => {
    answer = () => 200;
    expect((await send()).data).toMatchObject({ isAccepted: true, status: 200, isOpened: 'NO' });
  });

  it('that is refused says by which status and how long each step took, and no second one follows', async () => {
    answer = () => 400;
    const { data } = await send();
    expect(data).toMatchObject({ isAccepted: false, status: 400, detail: 'STATUS_NOT_200', isOpened: 'NOT_SEEN' });
    expect(data.timings.totalMs).toBeGreaterThan(0);
    expect(received).toHaveLength(1);
  });

  it('is on record with who sent it and who wanted it (T-15)', async () => {
    const { data } = await send({ askedBy: 'Thandi Nkosi' });
    const detail = { transactionId: String(data.transactionId), outcome: 'ACCEPTED', isOpened: 'YES', askedBy: 'Thandi Nkosi' };
    expect(await records()).toEqual([{ actor: 'operator test-operator', detail }]);
  });

  it('in production is sent only for somebody of the merchant, and to no address that a probe may not go to (T-11)', async () => {
    const production = await TestNotificationConfig.startWith(noRefill, { PAYCODE_ENVIRONMENT: 'production' }, service);
    try {
      const message = 'askedBy must name who of the merchant wants the test';
      expect(await send({}, production)).toMatchObject({ status: 400, data: { message } });
      expect(await send({ askedBy: '' }, production)).toMatchObject({ status: 400 });
      expect(await send({ askedBy: 'a\nb' }, production)).toMatchObject({ status: 400 });
      const refused = { status: 400, data: { message: 'URL validation failed: not allowed' } };
      expect(await send({ askedBy: 'Thandi Nkosi' }, production)).toMatchObject(refused);
      expect([received, await records()]).toEqual([[], []]);
    } finally {
      await production.stop();
    }
  });

  it('needs a URL and a merchant, and counts among the probes of the merchant (R-7-10, T-28)', async () => {
    // One of six went to the probe of addHttp, and each test takes two: the third is left without its second.
    const opened = [await send(), await send(), await send()].map(({ data }) => data.isOpened);
    expect(opened).toEqual(['YES', 'YES', 'NOT_SEEN']);
    expect(await send()).toMatchObject({ status: 429, data: { message: 'Too many URL validations' } });
    expect(received).toHaveLength(5);
    merchantId += 1;
    await service.saveMerchant(merchantId);
    expect(await send()).toMatchObject({ status: 400, data: { message: 'Please set notification first' } });
    merchantId += 100_000;
    expect((await send()).status).toBe(404);
    merchantId -= 100_000;
  });

  it('is sent for people of the portal as for operators, and for no other service (T-27)', async () => {
    const [body, path] = [{ merchantId }, '/internal/portal/notifications/send-test'];
    const person = { tenantId: String(merchantId), actor: 'Thandi Nkosi <t@shop.example>' };
    expect((await service.internal('post', path, { body, caller: 'webhook-dispatcher' })).status).toBe(403);
    const sent = (await service.internal('post', path, { body, person })).data as PortalAnswer<Result>;
    expect(sent).toMatchObject({ ok: true, value: { isAccepted: true, reference: expect.stringMatching(/^TEST-\d+$/) } });
    expect(await records()).toMatchObject([{ actor: `portal ${person.actor}`, detail: { askedBy: person.actor } }]);
  });

  describe('a URL whose server has shown that it opens notifications', () => {
    const openedAt = async () => {
      const wanted = { body: { merchantId }, person: { tenantId: String(merchantId) } };
      const { data } = await service.internal('post', '/internal/portal/notifications/list', wanted);
      return (data as { value: { http: { openedAt: string | null } } }).value.http.openedAt;
    };
    const add = (more: object = {}) => {
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
      return service.post('addHttp', { merchantId, url, version: 'V3', ...more });
    };

    it('is told from one that only answers, until its URL or key is another', async () => {
      answer = () => 200;
      await send();
      expect(await openedAt()).toBeNull();
      answer = careful;
      await send();
      expect(await openedAt()).toEqual(expect.stringMatching(/^20/));
      await add();
      expect(await openedAt()).not.toBeNull();
      await service.post('renewKey', { merchantId });
      expect(await openedAt()).toBeNull();
    });

    it('addHttp with an encrypted probe stores it only if its server opens one, and takes nothing else for it', async () => {
      expect((await add({ probe: 'ENCRYPTED' })).status).toBe(200);
      expect(await openedAt()).not.toBeNull();
      const elsewhere = { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/other`, probe: 'ENCRYPTED' };
      const answers: [number, string][] = [
        [200, 'took a notification that nobody can open'],
        [202, 'did not take an encrypted notification with 200'],
      ];
      for (const [status, message] of answers) {
        merchantId += 1;
        await withUrl();
        answer = () => status;
        const refused = await add(elsewhere);
        expect([refused.status, refused.data]).toMatchObject([400, { errors: [{ field: 'probe', message }] }]);
      }
      expect((await add()).data).toMatchObject({ url: expect.stringMatching(/hook$/) as string });
    });

    it('the first addHttp cannot ask for it, because the server has no key yet', async () => {
      await service.saveMerchant(++merchantId);
      const { status, data } = await add({ probe: 'ENCRYPTED' });
      const message = 'needs a key that your server has: the answer of the first addHttp holds it';
      expect([status, data]).toMatchObject([400, { errors: [{ field: 'probe', message }] }]);
    });
  });
});
