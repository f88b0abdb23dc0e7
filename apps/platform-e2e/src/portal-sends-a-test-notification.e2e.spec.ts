import { sharedPlatform, shopOfJourney } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson } from './testing/portal-client';

/** A merchant's developer tries the code of a receiver, without a payment. */
describeInBrowser('a test notification from the portal', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  const shop = shopOfJourney(platform);

  beforeAll(async () => {
    const developer = await makePerson(platform, { tenantId: String(shop.merchant.merchantId), role: 'DEVELOPER' });
    await portal.signIn(developer);
    await portal.go('Your server');
  });

  const press = () => portal.page.getByRole('button', { name: 'Send test notification' }).click();
  const shows = portal.shows.bind(portal);

  it('is opened by the receiver with its key, and says that it is a test (R-2.5-3)', async () => {
    await press();
    const { notification, headers } = await shop.receiver.webhook(() => true);
    expect(headers['x-webhook-test']).toBe('1');
    const { merchantId } = shop.merchant;
    const reference = `TEST-${notification.transactionId}`;
    expect(notification).toMatchObject({ merchantId, reference, amount: 0, status: 'SUCCESS' });
    await shows('Your server took the test notification', 'It opened it with your key', 'would be settled', reference, 'In all');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('test-notification');
  });

  it('that the receiver refuses is shown with status and likely cause', async () => {
    shop.receiver.answer = () => 400;
    await press();
    await shows('another status than 200', 'answered HTTP 400', 'would be reversed', 'an old key');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('test-notification-refused');
  });

  it('shows a receiver that answers 200 to what it cannot open (R-6.2-7)', async () => {
    shop.receiver.answer = () => 200;
    shop.receiver.answerToUnopened = 200;
    await press();
    await shows('it answers before it opens them', 'it cannot read would be settled');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('test-notification-unopened');
  });

  it('is no payment: none of its ids is armed, delivered or listed', async () => {
    const ids = shop.receiver.received.map(({ notification }) => notification.transactionId);
    expect(ids).toHaveLength(3);
    for (const id of ids) {
      const armed = await platform.operator('reversal-scheduler', { method: 'GET', path: `/internal/reversals/${id}` });
      const delivered = await platform.operator('webhook-dispatcher', { method: 'GET', path: `/internal/deliveries/${id}` });
      expect([armed.status, delivered.status]).toEqual([404, 404]);
      await portal.goto(`payments?search=${id}`);
      await shows('No payment fits');
    }
    expect(portal.complaints).toEqual([]);
  });
});
