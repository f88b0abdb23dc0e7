import { type Identity, serializeNotification, UnknownPayloadVersionError } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import type { StoredNotification } from './notification.store';
import { RecoverNotification } from './recover-notification';

describe('getNotification answers in a payload version (R-9-2)', () => {
  const json = serializeNotification(notificationOf(1));
  const merchant: Identity = { subject: '', accountType: 'MERCHANT', ownerId: 1001, acquirer: null, roles: ['EXTERNAL'] };
  const stored: StoredNotification = {
    transactionId: 1,
    merchantId: 1001,
    isReversible: true,
    payload: 'sealed',
    attemptsClaimed: 1,
    version: 'V3',
    verdict: 'ACKED_HTTP',
    isReversedByCore: null,
  };
  const acknowledge = jest.fn(() => Promise.resolve());
  /** The answer to the merchant. `chosen`: its version now; an error: notification-config does not answer. */
  const read = (version: string | null, chosen: string | null | Error, verdict: StoredNotification['verdict'] = 'ACKED_HTTP') => {
    const current = () => (chosen instanceof Error ? Promise.reject(chosen) : Promise.resolve({ pspId: 1, version: chosen }));
    const store = { find: () => Promise.resolve({ ...stored, version, verdict }) };
    return new RecoverNotification(store, { current }, { acknowledge }, { openText: () => json }).recover(1, merchant);
  };

  it('that of the first attempt, whatever the merchant has chosen since', async () => {
    expect(await read('V3', 'V9')).toBe(json);
    await expect(read('V9', 'V3')).rejects.toThrow(UnknownPayloadVersionError);
  });

  it("the merchant's present one when nothing was sent; V3 when it chose none, or while its choice cannot be read", async () => {
    await expect(read(null, 'V9')).rejects.toThrow(UnknownPayloadVersionError);
    expect(await Promise.all([read(null, 'V3'), read(null, null), read(null, new Error('away'))])).toEqual([json, json, json]);
  });

  it('regression: a reversed payment is answered also when its reference is a card number by a rule that came later (A-14, A-75)', async () => {
    const earlier = json.replace(/"reference":"[^"]*"/, '"reference":"PAN4111111111111111"');
    expect(earlier).toContain('PAN4111');
    const store = { find: () => Promise.resolve({ ...stored, verdict: 'CLOSED_NON200' as const }) };
    const routes = { current: () => Promise.resolve({ pspId: 1, version: 'V3' }) };
    const recovering = new RecoverNotification(store, routes, { acknowledge }, { openText: () => earlier });
    expect(await recovering.recover(1, merchant)).toBe(earlier.replace('"status":"SUCCESS"', '"status":"REVERSED"'));
  });

  it('a version that this release does not know is refused before anything is acknowledged (P-I9)', async () => {
    await expect(read('V9', 'V9', null)).rejects.toThrow(UnknownPayloadVersionError);
    expect(acknowledge).not.toHaveBeenCalled();
  });
});
