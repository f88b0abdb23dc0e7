import { UrlProber } from '@paycode/safe-http';
import { TestNotificationConfig } from '../testing/running-service';

const merchantId = 11;

describe('the URL validation window', () => {
  afterEach(() => jest.restoreAllMocks());

  it('unless told otherwise a receiver is probed for 10 s in all, 3 s of them to connect, and 1 KiB of its answer is read (R-2.6-1, T-11)', async () => {
    const service = await TestNotificationConfig.start({ PROBE_TIMEOUT_MS: undefined, PROBE_CONNECT_TIMEOUT_MS: undefined });
    try {
      const probe = jest.spyOn(UrlProber.prototype, 'probe').mockRejectedValue(new Error('not sent'));
      await service.saveMerchant(merchantId);
      await service.post('addHttp', { merchantId, url: 'http://127.0.0.1:8080/hook', version: 'V3' });
      expect(probe.mock.calls).toEqual([
        ['http://127.0.0.1:8080/hook', { result: 'TEST' }, { totalMs: 10_000, connectMs: 3_000, bodyBytesMax: 1_024 }],
      ]);
    } finally {
      await service.stop();
    }
  });
});
