import { WebhookKeySealer, KeyRing, webhookKeyAad } from '@paycode/crypto';
import { type Channel, type MerchantRecord, noRecipients, type Route } from '@paycode/dto';
import { answering, RawReceiver } from '@paycode/safe-http/testing';
import { eventually } from '@paycode/service-runtime/testing';
import type { Socket } from 'node:net';
import { acquirerBank, manyProbes, pspOne, TestNotificationConfig } from '../testing/running-service';

describe('merchant notification endpoints', () => {
  let service: TestNotificationConfig;
  let receiver: RawReceiver;
  let broken: RawReceiver;
  let url: string;
  let merchantId = 1_000;

  beforeAll(async () => {
    [service, receiver, broken] = await Promise.all([
      TestNotificationConfig.startWith(manyProbes),
      RawReceiver.start(answering(200)),
      RawReceiver.start(answering(500)),
    ]);
    url = `http://127.0.0.1:${receiver.port}/hook`;
  });
  beforeEach(async () => {
    merchantId += 1;
    receiver.received.length = 0;
    await service.saveMerchant(merchantId);
  });
  afterAll(() => Promise.all([service.stop(), receiver.stop(), broken.stop()]));

  const addHttp = (to = url, identity = pspOne) => service.post('addHttp', { merchantId, url: to, version: 'V3' }, identity);
  const list = async () => (await service.post('list', { merchantId })).data as unknown;
  const route = async (): Promise<Route> => {
    const answer = await service.internal('post', '/internal/routes', {
      body: { merchantIds: [merchantId] },
      caller: 'webhook-dispatcher',
    });
    return (answer.data as Route[])[0]!;
  };

  describe('as in R-4.3-4, R-4.3-5, R-2.4-4, A-62', () => {
    const ofChannel = { EMAIL: 'owner@shop.example', SMS: '+27820000001' } satisfies Record<Channel, string>;
    it.each(Object.entries(ofChannel))(
      'a recipient over %s is stored and passed to the dispatcher, and over no other (R-2.4-2)',
      async (type, value) => {
        expect((await service.post('extra', { merchantId, type, value })).status).toBe(200);
        expect((await route()).recipients).toEqual({ ...noRecipients, [type]: [value] });
      },
    );

    it('the first addHttp probes with JSON, stores and returns a new key', async () => {
      const { status, data, headers } = await addHttp();
      expect([status, data]).toEqual([
        200,
        { merchantId, url, version: 'V3', encryptKey: expect.stringMatching(/^[0-9a-f]{32}$/) },
      ]);
      expect(headers['cache-control']).toBe('no-store');
      expect(receiver.received.join('')).toContain('{"result":"TEST"}');
      expect(receiver.received.join('')).toMatch(/^content-type: application\/json\r$/im);
    });
  });

  it('another URL is probed and stored, and the key stays (R-4.3-6)', async () => {
    const { encryptKey } = (await addHttp()).data;
    const other = `${url}/other`;
    expect((await addHttp(other)).data).toEqual({ merchantId, url: other, version: 'V3', encryptKey });
    expect(receiver.received.join('')).toContain('POST /hook/other');
    expect(await route()).toMatchObject({ url: other });
  });

  it('the same URL is probed again, changes nothing and returns the existing key (A-48)', async () => {
    const first = (await addHttp()).data;
    const before = await route();
    receiver.received.length = 0;
    expect((await addHttp()).data).toEqual(first);
    expect(receiver.received.join('')).toContain('{"result":"TEST"}');
    expect(await route()).toEqual(before);
  });

  it('a failed probe stores nothing and leaves an earlier configuration in force (R-4.3-7, R-7-7)', async () => {
    const failing = `http://127.0.0.1:${broken.port}/`;
    const refused = await addHttp(failing);
    expect([refused.status, refused.data.message]).toEqual([400, 'URL validation failed: did not return 200']);
    expect(await list()).toEqual([]);
    await addHttp();
    const before = await route();
    await addHttp(failing);
    expect(await route()).toEqual(before);
  });

  it('every URL that is not allowed is refused with the same text (R-0-11, T-11)', async () => {
    for (const refused of [
      'http://10.0.0.1/',
      'http://169.254.169.254/latest',
      'ftp://shop.example/',
      'https://u:p@shop.example/',
      'nonsense',
    ]) {
      expect((await addHttp(refused)).data.message).toBe('URL validation failed: not allowed');
    }
  });

  it('renewKey gives another key and keeps URL and version (R-4.3-9, R-4.3-11)', async () => {
    const { encryptKey } = (await addHttp()).data;
    const { status, data } = await service.post('renewKey', { merchantId });
    expect([status, data]).toEqual([
      200,
      { merchantId, url, version: 'V3', encryptKey: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ]);
    expect(data.encryptKey).not.toBe(encryptKey);
  });

  it('the routes call hands out the new key, sealed for the merchant (R-4.3-10)', async () => {
    await addHttp();
    const { encryptKey } = (await service.post('renewKey', { merchantId })).data;
    const { sealedKey, keyId } = await route();
    const sealer = new WebhookKeySealer(KeyRing.parse(service.keyEncryptionKeys));
    expect(sealer.open(sealedKey!, webhookKeyAad(merchantId, keyId!)).toString('hex')).toBe(encryptKey);
    expect(() => sealer.open(sealedKey!, webhookKeyAad(merchantId + 1, keyId!))).toThrow();
  });

  it('the database holds no key in the clear (T-14)', async () => {
    const { encryptKey } = (await addHttp()).data;
    const rows = await service.database.dataSource.query<object[]>('select * from http_notification, audit_event');
    expect(JSON.stringify(rows)).not.toContain(encryptKey);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(encryptKey, 'hex').toString('base64url'));
  });

  it('renewKey without an HTTP configuration is refused (R-7-10)', async () => {
    const { status, data } = await service.post('renewKey', { merchantId });
    expect([status, data.message]).toEqual([400, 'Please set notification first']);
  });

  describe('as in R-4.3-12, R-4.3-13, R-2.4-1, R-2.4-3, R-2.4-5', () => {
    it('extra answers the whole list, and no list shows a key', async () => {
      await addHttp();
      await service.post('extra', { merchantId, type: 'EMAIL', value: ' ops@shop.example ' });
      const { status, data } = await service.post('extra', { merchantId, type: 'SMS', value: '27821234567' });
      const entries = [
        { type: 'HTTP', value: url, version: 'V3' },
        { type: 'EMAIL', value: 'ops@shop.example' },
        { type: 'SMS', value: '27821234567' },
      ];
      expect([status, data]).toEqual([200, entries]);
      expect(await list()).toEqual(entries);
    });
  });

  it('the same recipient again is no change; the 21st is refused (A-53)', async () => {
    for (let i = 0; i < 20; i += 1) await service.post('extra', { merchantId, type: 'EMAIL', value: `ops${i}@shop.example` });
    expect((await service.post('extra', { merchantId, type: 'EMAIL', value: 'ops0@shop.example' })).data).toHaveLength(20);
    const refused = await service.post('extra', { merchantId, type: 'SMS', value: '27821234567' });
    expect(refused.status).toBe(400);
    expect(await list()).toHaveLength(20);
  });

  it('a number with or without its plus, and an address in any case, is one recipient (A-88)', async () => {
    const extra = async (type: string, value: string) => (await service.post('extra', { merchantId, type, value })).data;
    const entries = [
      { type: 'SMS', value: '+27821234567' },
      { type: 'EMAIL', value: 'Owner@Shop.Example' },
    ];
    for (const { type, value } of entries) await extra(type, value);
    expect(await extra('SMS', '27821234567')).toEqual(entries);
    expect(await extra('EMAIL', 'owner@shop.example')).toEqual(entries);
  });

  it('any other type is refused with the literal (R-7-11)', async () => {
    for (const type of ['HTTP', 'email', 'FAX', '', null, undefined, 7]) {
      const { status, data } = await service.post('extra', { merchantId, type, value: 'ops@shop.example' });
      expect([status, data.message]).toEqual([400, 'Valid types are EMAIL or SMS']);
    }
  });

  it('all four operations refuse a merchant that is not ACTIVE, before any probe (R-7-8, R-4.3-3)', async () => {
    await service.saveMerchant(merchantId, { status: 'SUSPENDED' });
    const bodies = { addHttp: { url, version: 'V3' }, renewKey: {}, list: {}, extra: { type: 'SMS', value: '27821234567' } };
    for (const [endpoint, body] of Object.entries(bodies)) {
      const { status, data } = await service.post(endpoint, { merchantId, ...body });
      expect([status, data.message]).toEqual([400, "Merchant not in 'ACTIVE' state"]);
    }
    expect(receiver.received).toEqual([]);
  });

  it('a foreign merchant and an unknown one get the same answer (R-7-9, A-43)', async () => {
    await service.saveMerchant(merchantId, { pspId: 2, status: 'SUSPENDED' });
    for (const target of [merchantId, 999_999]) {
      const { status, data } = await service.post('list', { merchantId: target });
      expect([status, data.message]).toEqual([400, "Invalid 'merchantId'"]);
    }
  });

  it('an acquirer reaches the merchants of its own name (A-40)', async () => {
    expect((await service.post('list', { merchantId }, acquirerBank)).status).toBe(200);
    expect((await service.post('list', { merchantId }, { ...acquirerBank, acquirer: 'Other' })).data.message).toBe(
      "Invalid 'merchantId'",
    );
  });

  it('the routes call ignores the state of the merchant, so that a suspended one is still notified (A-11)', async () => {
    await addHttp();
    await service.saveMerchant(merchantId, { status: 'SUSPENDED' });
    expect(await route()).toMatchObject({ url, keyId: expect.any(String) });
  });

  describe('as in R-4.3-2, A-41, A-44', () => {
    it('no assertion is 401, another account type 403, both before the body is judged', async () => {
      expect((await service.post('list', {}, null)).status).toBe(401);
      for (const accountType of ['MERCHANT', 'MANAGER', 'STK'] as const) {
        expect((await service.post('list', {}, { accountType, ownerId: merchantId })).status).toBe(403);
      }
    });
  });

  it.each([
    ['a number as text (A-54)', { merchantId: '25' }],
    ['a fraction', { merchantId: 1.5 }],
    ['beyond 2^53', '{"merchantId":9007199254740993}'],
    ['negative', { merchantId: -1 }],
    ['missing', {}],
    ['twice (A-59)', '{"merchantId":1,"merchantId":1}'],
    ['no JSON', '{merchantId}'],
  ])('400 for a merchantId that is %s (R-7-6)', async (_what, body) => {
    expect((await service.post('list', body)).status).toBe(400);
  });

  it.each([
    ['another version (R-9-2)', { version: 'V2' }],
    ['no version', { version: undefined }],
    ['no url', { url: undefined }],
    ['a url that is no text', { url: 5 }],
    ['a url of 2,049 characters', { url: `https://shop.example/${'x'.repeat(2_028)}` }],
  ])('addHttp answers 400 for %s (R-7-6)', async (_what, change) => {
    expect((await service.post('addHttp', { merchantId, url, version: 'V3', ...change })).status).toBe(400);
    expect(receiver.received).toEqual([]);
  });

  it('Check probes the URL, gives the times and changes nothing (R-4.3-15)', async () => {
    await addHttp();
    const before = await route();
    const { status, data } = await service.internal('post', `/internal/merchants/${merchantId}/check`);
    expect([status, data]).toMatchObject([
      200,
      { url, isAccepted: true, status: 200, timings: { connectMs: expect.any(Number) } },
    ]);
    expect(await route()).toEqual(before);
  });

  it('no public path and no verb but the four POSTs is served, and none of those removes a recipient (R-4.3-1, R-4.3-14)', async () => {
    await addHttp();
    await service.post('extra', { merchantId, type: 'EMAIL', value: 'ops@shop.example' });
    const before = await list();
    const served = ['addHttp', 'renewKey', 'extra', 'list'];
    const paths = [...served, 'remove', 'delete', 'extra/remove', 'extra/EMAIL/ops@shop.example', `${merchantId}/EMAIL/x`, ''];
    const calls = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].flatMap(method => paths.map(path => ({ method, path })));
    const accepted: string[] = [];
    for (const { method, path } of calls.filter(call => call.method !== 'POST' || !served.includes(call.path))) {
      const { status } = await service.call(method, path, { merchantId });
      const refusal = served.includes(path) ? 405 : 404;
      if (status !== refusal) accepted.push(`${method} ${path} ${status}`);
    }
    expect(accepted).toEqual([]);
    await addHttp();
    await service.post('renewKey', { merchantId });
    for (const change of [{ value: '' }, { value: null }, { value: 'ops@shop.example', remove: true, action: 'REMOVE' }]) {
      await service.post('extra', { merchantId, type: 'EMAIL', ...change });
    }
    expect(await list()).toEqual(before);
  });

  it('removal is for operators: recipients one by one, the URL with its key (R-4.3-14)', async () => {
    const { encryptKey } = (await addHttp()).data;
    await service.post('extra', { merchantId, type: 'EMAIL', value: 'ops+x/y@shop.example' });
    const path = `/internal/merchants/${merchantId}/notifications`;
    expect((await service.internal('delete', `${path}/EMAIL/${encodeURIComponent('ops+x/y@shop.example')}`)).status).toBe(204);
    expect((await service.internal('delete', `${path}/HTTP`)).status).toBe(204);
    expect((await service.internal('delete', `${path}/HTTP`)).status).toBe(404);
    expect(await list()).toEqual([]);
    expect((await addHttp()).data.encryptKey).not.toBe(encryptKey);
  });

  it('concurrent renewals each give a key, and one of the keys stays in force (A-51)', async () => {
    await addHttp();
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.post('renewKey', { merchantId })));
    const keys = answers.map(({ data }) => data.encryptKey as string);
    expect(new Set(keys).size).toBe(5);
    expect(keys).toContain((await addHttp()).data.encryptKey);
  });

  it('a concurrent renewal and change of URL both take effect, whichever comes first (A-51)', async () => {
    const sealer = new WebhookKeySealer(KeyRing.parse(service.keyEncryptionKeys));
    await addHttp();
    for (let round = 0; round < 3; round += 1) {
      const [moved, renewed] = await Promise.all([
        addHttp(`${url}/${round}`),
        service.post('renewKey', { merchantId }),
        service.post('extra', { merchantId, type: 'EMAIL', value: `ops${round}@shop.example` }),
      ]);
      const stands = await route();
      const key = sealer.open(stands.sealedKey!, webhookKeyAad(merchantId, stands.keyId!)).toString('hex');
      expect([stands.url, key]).toEqual([moved.data.url, renewed.data.encryptKey]);
    }
    expect(await list()).toHaveLength(4);
  });

  it('a call reports a bad body before ownership, ownership before ACTIVE, ACTIVE before the rule of the operation (A-44)', async () => {
    const messageOf = async (endpoint: string, body: object) => (await service.post(endpoint, body)).data.message as string;
    expect(await messageOf('extra', { merchantId: 999_999, type: 'FAX', value: 'x' })).toBe('Valid types are EMAIL or SMS');
    expect(await messageOf('renewKey', { merchantId: 999_999 })).toBe("Invalid 'merchantId'");
    await service.saveMerchant(merchantId, { status: 'SUSPENDED', pspId: 2 });
    expect(await messageOf('renewKey', { merchantId })).toBe("Invalid 'merchantId'");
    await service.saveMerchant(merchantId, { status: 'SUSPENDED' });
    expect(await messageOf('renewKey', { merchantId })).toBe("Merchant not in 'ACTIVE' state");
    expect(await messageOf('addHttp', { merchantId, url: 'http://10.0.0.1/', version: 'V3' })).toBe(
      "Merchant not in 'ACTIVE' state",
    );
    await service.saveMerchant(merchantId);
    expect(await messageOf('renewKey', { merchantId })).toBe('Please set notification first');
  });

  describe('a merchant changes while its receiver is probed', () => {
    let slow: RawReceiver;
    let probed: Socket[];
    // Answers when the test says so.
    beforeAll(async () => (slow = await RawReceiver.start(socket => probed.push(socket))));
    beforeEach(() => (probed = []));
    afterAll(() => slow.stop());

    async function addHttpWhile(change: Partial<MerchantRecord>) {
      const answer = addHttp(`http://127.0.0.1:${slow.port}/`);
      await eventually(() => expect(probed).toHaveLength(1));
      await service.saveMerchant(merchantId, change);
      probed[0]!.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      return answer;
    }
    const stored = () =>
      service.database.dataSource.query('select url from http_notification where merchant_id = $1', [merchantId]);

    it.each<[string, Partial<MerchantRecord>, string]>([
      ['suspended (R-7-8, R-4.3-3, A-44)', { status: 'SUSPENDED' }, "Merchant not in 'ACTIVE' state"],
      ['moved to another PSP (R-7-9, A-43, T-24)', { pspId: 2 }, "Invalid 'merchantId'"],
    ])('%s: addHttp is refused, stores nothing and shows no key', async (_, change, message) => {
      const { status, data } = await addHttpWhile(change);
      expect([status, data.message, data.encryptKey]).toEqual([400, message, undefined]);
      expect(await stored()).toEqual([]);
    });

    it('renamed: the URL is stored (R-4.3-5)', async () => {
      expect((await addHttpWhile({ merchantName: 'Another name' })).status).toBe(200);
      expect(await stored()).toHaveLength(1);
    });
  });
});
