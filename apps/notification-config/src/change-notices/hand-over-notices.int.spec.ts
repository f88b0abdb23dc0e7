import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChangeNotice } from '@paycode/dto';
import { eventually } from '@paycode/service-runtime/testing';
import { answering, RawReceiver } from '@paycode/safe-http/testing';
import { TestNotificationConfig } from '../testing/running-service';

describe('T-15: change notices', () => {
  let dispatcher: Server;
  let receiver: RawReceiver;
  let service: TestNotificationConfig;
  let isUp = false;
  const handedOver: ChangeNotice[] = [];

  beforeAll(async () => {
    dispatcher = createServer((request, response) => {
      let body = '';
      request
        .on('data', chunk => (body += String(chunk)))
        .on('end', () => {
          if (isUp) handedOver.push(...(JSON.parse(body) as ChangeNotice[]));
          response.writeHead(isUp ? 204 : 503).end();
        });
    });
    await new Promise<void>(resolve => dispatcher.listen(0, '127.0.0.1', resolve));
    receiver = await RawReceiver.start(answering(200));
    service = await TestNotificationConfig.start({
      WEBHOOK_DISPATCHER_URL: `http://127.0.0.1:${(dispatcher.address() as AddressInfo).port}`,
    });
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
    dispatcher.closeAllConnections();
    await new Promise(resolve => dispatcher.close(resolve));
  });

  it('are handed over to be mailed once webhook-dispatcher takes them, and then forgotten', async () => {
    await service.saveMerchant(1);
    await service.post('extra', { merchantId: 1, type: 'EMAIL', value: 'a@shop.example' });
    await service.post('addHttp', { merchantId: 1, url: `http://127.0.0.1:${receiver.port}/`, version: 'V3' });
    const rows = () => service.database.dataSource.query<{ tries: number }[]>('select tries from change_notice');
    await eventually(async () => expect((await rows())[0]!.tries).toBeGreaterThan(0));
    isUp = true;
    await service.database.dataSource.query('update change_notice set due_at = clock_timestamp()');
    await eventually(async () => expect(await rows()).toEqual([]));
    expect(handedOver).toEqual([
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
});
