import { eventually } from '@paycode/service-runtime/testing';
import { sharedPlatform, shopOfJourney } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, PortalClient } from './testing/portal-client';

/** A developer rehearses what the shop has to cope with. */
describeInBrowser('rehearsals in the portal', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  const shop = shopOfJourney(platform);

  beforeAll(async () => {
    const developer = await makePerson(platform, { tenantId: String(shop.merchant.merchantId), role: 'DEVELOPER' });
    await portal.signIn(developer);
    await portal.go('Sandbox');
  });

  const shows = portal.shows.bind(portal);
  const play = (name: string) => portal.page.getByRole('button', { name, exact: true }).click();
  const playedIds = async () => (await played()).map(line => line.split(' ')[0]);
  const played = () => portal.page.locator('section[aria-labelledby=played] li').allTextContents();

  it('a declined payment by one key, with an amount of choice, which leads to its page (R-3.2-1)', async () => {
    await portal.page.getByLabel('Amount').fill('1250,50');
    await portal.page.getByRole('button', { name: 'bank-rejected', exact: true }).focus();
    await portal.page.keyboard.press('Enter');
    await shows('Played: bank-rejected', 'BANK_REJECTED', 'Done.');
    const { notification } = await shop.receiver.webhook(({ status }) => status === 'BANK_REJECTED');
    expect(notification).toMatchObject({ merchantId: shop.merchant.merchantId, amount: 1250.5 });
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('sandbox');
    await portal.page.getByRole('link', { name: String(notification.transactionId) }).click();
    await shows(`${notification.transactionId}`, 'BANK_REJECTED');
    await portal.page.goBack();
  });

  it('every status of a purchase in a row, every timeout, and a refund after its payment (R-3.2-1, A-74)', async () => {
    await play('all-statuses');
    await shows('Done.');
    const lines = await played();
    expect(lines).toHaveLength(18);
    expect(new Set(lines.map(line => line.split(' ')[1])).size).toBe(18);
    await play('timeouts');
    await shows('Played: timeouts', 'Done.');
    const timeouts = (await played()).map(line => line.split(' ')[1]);
    expect([timeouts.length, new Set(timeouts).size]).toEqual([6, 6]);
    for (const status of timeouts) expect(status).toMatch(/^TIMEOUT_/);
    await shop.receiver.webhook(({ status }) => status === 'TIMEOUT_LINK_CARD_FAILED');
    await play('refund');
    await shows('Played: refund', 'REFUNDED', 'Done.');
    expect((await played()).map(line => line.split(' ')[1])).toEqual(['SUCCESS', 'REFUNDED']);
    const { notification } = await shop.receiver.webhook(({ status }) => status === 'REFUNDED');
    expect(String(notification.referenceTransactionId)).toBe((await played())[0]!.split(' ')[0]);
  });

  it('a notice that comes twice, and a reversal before its payment, by one click each (P-I8, P-I10)', async () => {
    await play('duplicate-notice');
    await shows('Played: duplicate-notice', 'REFUNDED again', 'Done.');
    const [, refund] = await playedIds();
    const attemptsOf = (id: string) =>
      shop.receiver.received
        .filter(({ notification }) => String(notification.transactionId) === id)
        .map(({ headers }) => headers['x-webhook-attempt']);
    await eventually(() => expect(attemptsOf(refund!)).toEqual(['1', '2']));
    await play('out-of-order');
    await shows('Played: out-of-order', 'tells us in');
    await shows('Done.');
    const [payment, reversal] = await playedIds();
    await shop.receiver.webhook(({ transactionId }) => String(transactionId) === payment);
    const ids = shop.receiver.received.map(({ notification }) => String(notification.transactionId));
    expect(ids.filter(id => id === payment || id === reversal)).toEqual([reversal, payment]);
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('sandbox-order');
  });

  it('a code by hand: its QR image is drawn, it is paid, and refunded once', async () => {
    await portal.page.getByRole('button', { name: 'Make a code' }).click();
    await eventually(async () =>
      expect(await portal.page.evaluate(`document.querySelector('.qr')?.naturalWidth ?? 0`)).toBeGreaterThan(0),
    );
    expect(await portal.page.getByRole('button', { name: 'Refund', exact: true }).isDisabled()).toBe(true);
    await portal.page.getByRole('button', { name: 'Pay', exact: true }).click();
    await portal.page.getByRole('button', { name: 'Refund', exact: true }).click();
    await shows('SUCCESS.', 'REFUNDED.');
    expect(await portal.page.getByRole('button', { name: 'Reverse', exact: true }).isDisabled()).toBe(true);
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('sandbox-code');
  });

  it('on a phone nothing has to be moved sideways, and the browser had nothing to complain of (T-53)', async () => {
    await portal.page.setViewportSize({ width: 360, height: 740 });
    expect(await portal.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(portal.complaints).toEqual([]);
  });

  it('another merchant pays, refunds and repeats nothing of it; PSP, viewer and nobody play nothing (T-24)', async () => {
    const { code } = await shop.merchant.createCode({ merchantReference: 'not-yours', amount: '10.00', currencyCode: 'ZAR' });
    const { notification: refund } = await shop.receiver.webhook(({ status }) => status === 'REFUNDED');
    const calls = [
      { path: 'sandbox/codes', body: { amount: '10.00', currencyCode: 'ZAR' } },
      { path: 'sandbox/payments', body: { code, txState: 'SUCCESS' } },
      { path: 'sandbox/follow-ups', body: { code, followUp: 'REFUND' } },
      { path: 'sandbox/repeats', body: { transactionId: refund.transactionId } },
    ].map(call => ({ method: 'POST', ...call }));
    const answers = async (client: PortalClient) => {
      const statuses: number[] = [];
      // In this order: only what was paid is refunded.
      for (const call of calls) statuses.push((await client.send(call)).status);
      return statuses;
    };
    const signedIn = async (of: Parameters<typeof makePerson>[1]) =>
      PortalClient.signedIn(platform, await makePerson(platform, of));
    expect(await answers(await signedIn({ tenantId: '2001' }))).toEqual([200, 404, 404, 404]);
    expect(await answers(await signedIn({ tenantType: 'PSP', tenantId: '1' }))).toEqual([404, 404, 404, 404]);
    const viewer = await signedIn({ tenantId: String(shop.merchant.merchantId), role: 'VIEWER' });
    expect(await answers(viewer)).toEqual([403, 403, 403, 403]);
    expect(await answers(new PortalClient(platform))).toEqual([401, 401, 401, 401]);
    const own = await answers(await signedIn({ tenantId: String(shop.merchant.merchantId) }));
    expect(own).toEqual([200, 200, 200, 200]);
  });
});
