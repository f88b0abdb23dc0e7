import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChangeNotice } from '@paycode/dto';
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
      expect.objectContaining({ kind: 'RECIPIENT_ADDED', emails: ['a@shop.example'] }),
      {
        noticeId: expect.any(String),
        merchantId: 1,
        kind: 'URL_CHANGED',
        emails: ['a@shop.example'],
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
});
