import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UrlProber } from '@paycode/safe-http';
import { notificationLimits } from '../app.module';
import { TestNotificationConfig } from '../testing/running-service';

const merchantId = 11;

it('the guide for integrators says how often a URL may be validated (T-28)', () => {
  const { merchant, caller, origin } = notificationLimits.probes;
  const guide = readFileSync(join(__dirname, '../../../../docs/how-to/integrate.md'), 'utf8');
  expect(guide).toContain(
    `${merchant.burst} at once, then one in ${merchant.refillMs / 1_000} seconds per merchant; ` +
      `${caller.burst} at once, then ${3_600_000 / caller.refillMs} an hour per caller; ${60_000 / origin.refillMs} a minute to one server`,
  );
});

describe('the URL validation window', () => {
  afterEach(() => jest.restoreAllMocks());

  it('by default a probe lasts at most 10 s, 3 s of them to connect, and reads 1 KiB of the answer (R-2.6-1, T-11)', async () => {
    const service = await TestNotificationConfig.startWith(notificationLimits);
    try {
      const probe = jest.spyOn(UrlProber.prototype, 'send').mockRejectedValue(new Error('not sent'));
      await service.saveMerchant(merchantId);
      await service.post('addHttp', { merchantId, url: 'http://127.0.0.1:8080/hook', version: 'V3' });
      const message = { body: '{"result":"TEST"}', headers: { 'content-type': 'application/json' }, showsCertificate: false };
      expect(probe.mock.calls).toEqual([
        ['http://127.0.0.1:8080/hook', message, { totalMs: 10_000, connectMs: 3_000, bodyBytesMax: 1_024 }],
      ]);
    } finally {
      await service.stop();
    }
  });
});
