import { eventually } from '@paycode/service-runtime/testing';
import { sharedPlatform, shopOfJourney } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, PortalClient } from './testing/portal-client';

/** A shop takes a payment on a phone, across the counter. */
describeInBrowser('the till', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  const shop = shopOfJourney(platform);

  beforeAll(async () => {
    const developer = await makePerson(platform, { tenantId: String(shop.merchant.merchantId), role: 'DEVELOPER' });
    await portal.page.setViewportSize({ width: 390, height: 844 });
    await portal.signIn(developer);
    await portal.page.waitForURL(url => !url.pathname.endsWith('/sign-in'));
  });

  const shows = portal.shows.bind(portal);
  const type = (text: string) => portal.page.keyboard.type(text);
  const press = (key: string) => portal.page.keyboard.press(key);
  const codeShown = async () => (await portal.page.locator('.till-code').textContent())!.replaceAll(' ', '');
  const isWideEnough = () => portal.page.evaluate('document.documentElement.scrollWidth <= innerWidth');

  it('names the field of an amount that cannot be, and keeps what was typed', async () => {
    await portal.goto('till');
    await portal.page.getByLabel('Amount').focus();
    await type('forty');
    await press('Enter');
    await shows('The amount must be a number such as 42 or 1234.50.');
    await portal.page.getByLabel('Amount').fill('42,555');
    await portal.page.getByLabel('Currency').fill('JPY');
    await press('Enter');
    await shows('The amount ');
    expect(await portal.page.getByLabel('Amount').inputValue()).toBe('42,555');
    expect(await portal.accessibilityFaults()).toEqual([]);
    expect(await isWideEnough()).toBe(true);
    await portal.screenshots('till-form');
    await portal.page.setViewportSize({ width: 390, height: 844 });
  });

  it('typed and confirmed by keys, the code is shown across the screen, is paid, and the goods may go (R-5.5-1)', async () => {
    await portal.page.getByLabel('Currency').fill('ZAR');
    await portal.page.getByLabel('Amount').focus();
    await press('Control+A');
    await type('R 42,50');
    await portal.page.getByLabel('Reference').focus();
    await type('order-4301');
    await portal.page.getByLabel('Shown to the customer').focus();
    await type('Table 4');
    await portal.page.keyboard.press('Enter');
    await shows('Table 4 · order-4301', 'Waiting for the customer');
    await eventually(async () =>
      expect(await portal.page.evaluate(`document.querySelector('.till-qr')?.naturalWidth ?? 0`)).toBeGreaterThan(0),
    );
    expect(await isWideEnough()).toBe(true);
    expect(await portal.accessibilityFaults()).toEqual([]);
    const code = await codeShown();
    await portal.page.reload();
    await shows('Waiting for the customer');
    expect(await codeShown()).toBe(code);
    await portal.screenshots('till');
    await portal.page.emulateMedia({ media: 'print' });
    expect(await portal.page.getByRole('button', { name: 'Close' }).isVisible()).toBe(false);
    expect(await portal.page.locator('.till-qr').isVisible()).toBe(true);
    await portal.page.emulateMedia({ media: 'screen' });
    await portal.page.setViewportSize({ width: 390, height: 844 });
    const transactionId = await shop.merchant.pay(code);
    const { notification } = await shop.receiver.webhook(each => each.transactionId === transactionId);
    expect(notification).toMatchObject({ amount: 42.5, currencyCode: 'ZAR', reference: 'order-4301' });
    await shows('Paid', 'Settled: you can hand over the goods.', 'order-4301', String(transactionId));
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('till-paid');
    await portal.page.setViewportSize({ width: 390, height: 844 });
  });

  it('a payment that the server does not acknowledge is shown as not paid (R-3.1-3)', async () => {
    shop.receiver.answer = () => 500;
    await portal.page.getByRole('button', { name: 'Next payment' }).click();
    await portal.page.getByLabel('Amount').fill('7');
    await press('Enter');
    await shows('Waiting for the customer');
    await shop.merchant.pay(await codeShown());
    await shows('Not paid', 'Do not hand over the goods.');
  });

  it('a declined payment has failed, the code can be tried again, and expires in the end (R-3.2-1)', async () => {
    await portal.page.getByRole('button', { name: 'Next payment' }).click();
    await portal.page.getByLabel('Amount').fill('8');
    await press('Enter');
    await shows('Waiting for the customer');
    const developer = await makePerson(platform, { tenantId: String(shop.merchant.merchantId), role: 'DEVELOPER' });
    const client = await PortalClient.signedIn(platform, developer);
    const body = { code: await codeShown(), txState: 'END_BANK_DECLINE' };
    expect((await client.send({ method: 'POST', path: 'sandbox/payments', body })).status).toBe(200);
    await shows('Failed', 'The customer was not charged');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.page.getByRole('button', { name: 'Show the code again' }).click();
    await shows('Waiting for the customer');
    expect(await codeShown()).toBe(body.code);
    await portal.page.clock.setFixedTime(Date.now() + 301_000);
    await shows('Expired', 'Nobody paid in time.');
    await portal.page.getByRole('button', { name: 'Next payment' }).click();
    expect(await portal.page.getByLabel('Amount').inputValue()).toBe('');
    expect(portal.complaints).toEqual([]);
  });

  it('one press twice makes one code; another content under its reference is refused by the name of the field (A-76)', async () => {
    const developer = await makePerson(platform, { tenantId: String(shop.merchant.merchantId), role: 'DEVELOPER' });
    const client = await PortalClient.signedIn(platform, developer);
    const body = { amount: '5.00', currencyCode: 'ZAR', merchantReference: 'pressed-twice', useOnce: true, requestTip: true };
    const make = async (of: object = {}) => {
      const expiryDate = Date.parse('2099-01-01');
      const { status, text } = await client.send({ method: 'POST', path: 'till/codes', body: { ...body, expiryDate, ...of } });
      return { status, body: JSON.parse(text) as { code: string; errors?: object[] } };
    };
    const [one, two] = [await make(), await make()];
    expect([one.status, two.body]).toEqual([200, one.body]);
    expect((await make({ amount: '6.00' })).body.errors).toMatchObject([{ field: 'merchantReference' }]);
    const yen = await make({ merchantReference: 'yen', amount: '42.5', currencyCode: 'JPY' });
    expect([yen.status, yen.body.errors]).toEqual([400, [{ field: 'amount', message: 'must have at most 0 decimals in JPY' }]]);
    const past = await make({ merchantReference: 'past', expiryDate: 1 });
    expect(past.body.errors).toMatchObject([{ field: 'expiryDate' }]);
  });

  it('developers and owners of the merchant make codes; another merchant, its PSP and a viewer make none of it (T-24)', async () => {
    const code = { amount: '5', currencyCode: 'ZAR', expiryDate: 0, useOnce: true, requestTip: false, merchantReference: 'role' };
    shop.receiver.answer = () => 200;
    const { code: foreign } = await shop.merchant.createCode({ merchantReference: 'seen', amount: '10.00', currencyCode: 'ZAR' });
    const transactionId = await shop.merchant.pay(foreign);
    const answersOf = async (of: Parameters<typeof makePerson>[1]) => {
      const client = await PortalClient.signedIn(platform, await makePerson(platform, of));
      const made = await client.send({ method: 'POST', path: 'till/codes', body: code });
      const read = await client.send({ path: `till/codes/${foreign}` });
      return [made.status, read.status, read.text.includes(String(transactionId))];
    };
    const tenantId = String(shop.merchant.merchantId);
    await eventually(async () => expect(await answersOf({ tenantId, role: 'OWNER' })).toEqual([200, 200, true]));
    expect(await answersOf({ tenantId, role: 'DEVELOPER' })).toEqual([200, 200, true]);
    expect(await answersOf({ tenantId, role: 'VIEWER' })).toEqual([403, 200, true]);
    expect(await answersOf({ tenantId: '2001', role: 'OWNER' })).toEqual([200, 200, false]);
    expect(await answersOf({ tenantType: 'PSP', tenantId: '1' })).toEqual([404, 404, false]);
    expect((await new PortalClient(platform).send({ path: `till/codes/${foreign}` })).status).toBe(401);
  });
});
