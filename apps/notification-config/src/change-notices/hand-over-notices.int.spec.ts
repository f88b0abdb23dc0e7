import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Addressee, ChangeNotice } from '@paycode/dto';
import { eventually } from '@paycode/service-runtime/testing';
import { answering, RawReceiver } from '@paycode/safe-http/testing';
import { TestNotificationConfig } from '../testing/running-service';

describe('change notices (T-15)', () => {
  let mailer: Server;
  let receiver: RawReceiver;
  let service: TestNotificationConfig;
  let isUp = false;
  /** Calls that tell of it are refused. */
  let refused = 0;
  const handedOver: ChangeNotice[] = [];

  beforeAll(async () => {
    mailer = createServer((request, response) => {
      let body = '';
      request
        .on('data', chunk => (body += String(chunk)))
        .on('end', () => {
          const notices = JSON.parse(body) as ChangeNotice[];
          const isRefused = notices.some(({ merchantId }) => merchantId === refused);
          if (isUp && !isRefused) handedOver.push(...notices);
          response.writeHead(!isUp ? 503 : isRefused ? 400 : 204).end();
        });
    });
    await new Promise<void>(resolve => mailer.listen(0, '127.0.0.1', resolve));
    receiver = await RawReceiver.start(answering(200));
    service = await TestNotificationConfig.start({
      RECIPIENT_MESSAGES_URL: `http://127.0.0.1:${(mailer.address() as AddressInfo).port}`,
    });
    // So that those for owners wait.
    service.owners = null;
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
    mailer.closeAllConnections();
    await new Promise(resolve => mailer.close(resolve));
  });

  it('are handed over once recipient-messages accepts them, and then deleted', async () => {
    await service.saveMerchant(1);
    await service.post('extra', { merchantId: 1, type: 'EMAIL', value: 'a@shop.example' });
    // Change notices go by e-mail only, so this recipient gets none.
    await service.post('extra', { merchantId: 1, type: 'SMS', value: '+27820000001' });
    await service.post('addHttp', { merchantId: 1, url: `http://127.0.0.1:${receiver.port}/`, version: 'V3' });
    const rows = () => service.database.dataSource.query<{ tries: number }[]>('select tries from change_notice');
    const makeDue = () => service.database.dataSource.query('update change_notice set due_at = clock_timestamp()');
    await makeDue();
    await eventually(async () => expect((await rows()).map(({ tries }) => tries > 0)).toEqual([true, true]));
    isUp = true;
    await makeDue();
    await eventually(async () => expect(await rows()).toEqual([]));
    const byTime = (one: ChangeNotice, other: ChangeNotice) => one.occurredAt.localeCompare(other.occurredAt);
    expect(handedOver.sort(byTime)).toEqual([
      expect.objectContaining({ kind: 'RECIPIENT_ADDED', to: [{ email: 'a@shop.example' }] }),
      {
        noticeId: expect.any(String),
        merchantId: 1,
        kind: 'URL_CHANGED',
        to: [{ email: 'a@shop.example' }],
        actor: 'psp-1',
        occurredAt: expect.any(String),
      },
    ]);
  });

  it('a notice that recipient-messages refuses stays; those handed over with it are mailed and deleted (T-29)', async () => {
    const merchants = [11, 12, 13, 14, 15];
    isUp = false;
    for (const merchantId of merchants) {
      await service.saveMerchant(merchantId);
      await service.post('extra', { merchantId, type: 'EMAIL', value: `a${merchantId}@shop.example` });
      await service.post('addHttp', { merchantId, url: `http://127.0.0.1:${receiver.port}/`, version: 'V3' });
    }
    refused = 13;
    isUp = true;
    const { dataSource } = service.database;
    await dataSource.query('update change_notice set due_at = clock_timestamp()');
    const left = async () =>
      (await dataSource.query<{ merchant_id: string }[]>('select merchant_id from change_notice')).map(row =>
        Number(row.merchant_id),
      );
    await eventually(async () => expect(await left()).toEqual([13]));
    expect(
      handedOver
        .map(({ merchantId }) => merchantId)
        .filter(id => id > 10)
        .sort(),
    ).toEqual([11, 12, 14, 15]);
  });

  it('regression: the owners of merchant and PSP are mailed, whom auth-session names, until it is sure, and the portal cannot say that they were (T-15, T-27)', async () => {
    const { dataSource } = service.database;
    await dataSource.query('delete from owner_notice');
    handedOver.length = 0;
    await service.saveMerchant(21);
    await service.post('addHttp', { merchantId: 21, url: `http://127.0.0.1:${receiver.port}/`, version: 'V3' });
    const rows = () => dataSource.query<{ due_at: Date }[]>('select due_at from owner_notice');
    const [first] = await rows();
    await eventually(async () => expect((await rows())[0]!.due_at.getTime()).toBeGreaterThan(first!.due_at.getTime()));
    for (const route of ['claim', 'done']) {
      const call = { caller: 'portal' as const, body: { noticeIds: [] } };
      expect((await service.internal('post', `/internal/portal/change-notices/${route}`, call)).status).toBe(404);
    }
    expect(handedOver).toEqual([]);
    const owners: Addressee[] = [
      { email: 'owner@psp.example' },
      { email: 'owner@shop.example', language: 'es', timeZone: 'UTC' },
    ];
    service.owners = owners;
    await dataSource.query('update owner_notice set due_at = clock_timestamp()');
    await eventually(async () => expect(await rows()).toEqual([]));
    expect(handedOver).toEqual([expect.objectContaining({ merchantId: 21, kind: 'URL_CHANGED', to: owners })]);
  });

  it('a notice that was tried too often, or waited for owners for a week, is given up, also while auth-session names nobody (T-15)', async () => {
    const { dataSource } = service.database;
    service.owners = null;
    isUp = false;
    await service.saveMerchant(22);
    await service.post('extra', { merchantId: 22, type: 'EMAIL', value: 'a22@shop.example' });
    await service.post('addHttp', { merchantId: 22, url: `http://127.0.0.1:${receiver.port}/`, version: 'V3' });
    await dataSource.query(
      "update owner_notice set occurred_at = clock_timestamp() - interval '8 days', due_at = clock_timestamp()",
    );
    await dataSource.query('update change_notice set tries = 10000, due_at = clock_timestamp()');
    for (const table of ['owner_notice', 'change_notice'])
      await eventually(async () => expect(await dataSource.query(`select from ${table}`)).toEqual([]));
    expect(handedOver.filter(({ merchantId }) => merchantId === 22)).toEqual([]);
  });
});
