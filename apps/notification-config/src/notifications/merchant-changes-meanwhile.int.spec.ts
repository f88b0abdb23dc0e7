import type { Socket } from 'node:net';
import type { MerchantRecord } from '@paycode/dto';
import { RawReceiver } from '@paycode/safe-http/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { TestNotificationConfig } from '../testing/running-service';

describe('a merchant changes while its receiver is probed', () => {
  let service: TestNotificationConfig;
  let receiver: RawReceiver;
  let probed: Socket[];
  let merchantId = 500;

  beforeAll(async () => {
    // Answers when the test says so.
    receiver = await RawReceiver.start(socket => probed.push(socket));
    service = await TestNotificationConfig.start();
  });
  beforeEach(async () => {
    probed = [];
    await service.saveMerchant((merchantId += 1));
  });
  afterAll(() => Promise.all([service.stop(), receiver.stop()]));

  async function addHttpWhile(change: Partial<MerchantRecord>) {
    const answer = service.post('addHttp', { merchantId, url: `http://127.0.0.1:${receiver.port}/`, version: 'V3' });
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
