import { accepted } from '@paycode/platform-client';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { payNewCode, sharedPlatform, shopOfJourney } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, PortalClient, type PortalPerson } from './testing/portal-client';
import { refuseDeliveriesOf } from './testing/refused-deliveries';

const operatorOf = (role: string) => ({ tenantType: 'OPERATOR', tenantId: '', role, name: `Person ${role.replace('_', ' ')}` });

/** Somebody on call is told that payments of a shop are reversed, and looks. */
describeInBrowser('the portal for people on call', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  const shop = shopOfJourney(platform);
  let onCall: PortalPerson;
  const later = undoneAfterEach();

  beforeAll(async () => {
    onCall = await makePerson(platform, operatorOf('ON_CALL'));
    await portal.signIn(onCall);
    await portal.go('On-call');
  });

  const shows = portal.shows.bind(portal);
  const lookUp = async (transactionId: number) => {
    await portal.page.getByLabel('Transaction id').fill(String(transactionId));
    await portal.page.getByLabel('Transaction id').press('Enter');
    await shows(`Transaction ${transactionId}`);
  };

  it('sees the receiver that fails with its money, the payment that is open, and finds a payment by its id (T-24)', async () => {
    let letGo = () => {};
    const held = new Promise<void>(resolve => (letGo = resolve));
    shop.receiver.answer = ({ amount }) => (amount === 77.7 ? held.then(() => 200) : 500);
    const reversed = await payNewCode(shop.merchant, '1250.50');
    await shop.receiver.webhook(({ transactionId }) => transactionId === reversed);
    const open = await payNewCode(shop.merchant, '77.70');
    await eventually(async () => expect(await shop.merchant.reversal(reversed)).toMatchObject({ state: 'REVERSED' }));
    await shows(
      new URL(shop.receiver.url).host,
      `${shop.merchant.merchantId}`,
      '1 failed, 0 acknowledged',
      String(open),
      'No: within its time',
      'Each of the 256 shards has an owner',
    );
    await lookUp(reversed);
    await shows('CLOSED_NON200', 'REVERSED: NON_200', 'HTTP 500');
    const grafana = portal.page.getByRole('link', { name: 'in Grafana' });
    expect(await grafana.getAttribute('href')).toMatch(
      new RegExp(`^https://grafana\\.example/watch/d/paycode-transaction\\?var-transaction=${reversed}&from=\\d{13}&to=\\d{13}$`),
    );
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('on-call');
    letGo();
    await eventually(async () => expect(await shop.merchant.reversal(open)).toMatchObject({ state: 'SETTLED' }));
  });

  it('sends a notice once more after it has said to whom, and both are on record with the name', async () => {
    shop.receiver.answer = () => 200;
    const { code } = await shop.merchant.createCode({ merchantReference: 'declined', amount: '5.00', currencyCode: 'ZAR' });
    const notice = await shop.merchant.pay(code, 'END_BANK_DECLINE');
    const arrived = () => shop.receiver.received.filter(({ notification }) => notification.transactionId === notice).length;
    await eventually(async () => expect((await shop.merchant.delivery(notice))?.verdict).toBeTruthy());
    expect(arrived()).toBe(1);
    await lookUp(notice);
    await portal.page.getByRole('button', { name: 'Send the notice again' }).click();
    const dialog = portal.page.getByRole('dialog');
    expect(await dialog.textContent()).toContain(`Merchant ${shop.merchant.merchantId} gets the notice BANK_REJECTED`);
    expect(arrived()).toBe(1);
    await dialog.getByRole('button', { name: 'Send it again' }).click();
    await eventually(() => expect(arrived()).toBe(2));
    await shows(`${onCall.name}: NOTICE_REDELIVERED`, `${onCall.name}: ON_CALL_SEARCHED`);
    expect(portal.complaints).toEqual([]);
  });

  const parked = async (transactionId: number) => {
    const answer = await platform.operator('webhook-dispatcher', { method: 'GET', path: '/internal/dead-letters' });
    const { letters } = accepted('the dead letters', answer) as { letters: { transactionId: number; times: number }[] };
    return letters.find(letter => letter.transactionId === transactionId)?.times;
  };
  const redrive = async (transactionId: number, ...says: string[]) => {
    await portal.page.getByLabel(`Choose Transaction ${transactionId} of webhook-dispatcher`).check();
    await shows(`Transaction ${transactionId}, for webhook-dispatcher: is delivered`);
    await portal.page.getByRole('button', { name: 'Redrive 1' }).click();
    await portal.page.getByRole('dialog').getByRole('button', { name: 'Redrive' }).click();
    await shows('One event was redriven.', ...says);
  };

  it('sees an event that the dispatcher could not use, what a redrive would do, and redrives it: the merchant is notified (A-97)', async () => {
    shop.receiver.answer = () => 200;
    const repair = await refuseDeliveriesOf(shop.merchant.merchantId);
    later(repair);
    const payment = await payNewCode(shop.merchant, '41.00');
    await eventually(async () => expect(await parked(payment)).toBe(1));
    await portal.page.getByRole('link', { name: 'Dead letters' }).click();
    await shows(String(payment), 'refused by the database, SQLSTATE 23514', 'this release can read the event', 'once');
    await redrive(payment, 'put aside again (refused by the database, SQLSTATE 23514)');
    await shows('2 times');
    await portal.page.getByLabel(`Choose Transaction ${payment} of webhook-dispatcher`).check();
    await shows('No other group sees it');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('dead-letters');
    expect(shop.receiver.received.some(({ notification }) => notification.transactionId === payment)).toBe(false);
    await portal.page.getByLabel(`Choose Transaction ${payment} of webhook-dispatcher`).uncheck();
    await repair();
    await redrive(payment, 'handled: it is kept no more');
    await shop.receiver.webhook(({ transactionId }) => transactionId === payment);
    await eventually(async () => expect(await shop.merchant.reversal(payment)).toMatchObject({ state: 'SETTLED' }));
    expect(await parked(payment)).toBeUndefined();
    await eventually(async () =>
      expect(await portal.page.getByLabel(`Choose Transaction ${payment} of webhook-dispatcher`).count()).toBe(0),
    );
    await portal.page.getByRole('link', { name: 'Back to On-call' }).click();
    await lookUp(payment);
    await shows(`${onCall.name}: DEAD_LETTER_REDRIVEN`);
    expect(portal.complaints).toEqual([]);
  });

  it('learns on the empty page what dead letters are, and in production who confirms a redrive (A-98)', async () => {
    const answers = (path: string, json: object) => portal.page.route(path, route => route.fulfill({ json }));
    later(() => portal.page.unrouteAll({ behavior: 'wait' }));
    const asker = { personId: 'p', name: 'Naledi', confirmsFrom: '2026-01-01T00:00:00.000Z' };
    const me = await portal.page.evaluate<{ person: { personId: string } }>(
      `fetch('/console/api/session').then(it => it.json())`,
    );
    const owners = [asker, { ...asker, personId: me.person.personId }];
    const instants = { askedAt: '2030-01-01T00:00:00.000Z', expiresAt: '2030-01-02T00:00:00.000Z' };
    const request = { requestId: 'r', state: 'OPEN', askedBy: asker, endedBy: null, ...instants };
    await answers('**/on-call/dead-letters?*', { services: [], silent: [] });
    await answers('**/on-call/dead-letters/redrive', { takesTwo: true, request, owners, letters: [] });
    await portal.page.getByRole('link', { name: 'Dead letters' }).click();
    await shows('There are no dead letters', 'Naledi has asked for a redrive', 'Confirm the redrive');
    await portal.page.getByRole('button', { name: 'Confirm the redrive' }).click();
    await portal.page.getByRole('dialog').getByLabel('Your password for the portal').fill('x');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await portal.screenshots('dead-letters-empty');
    await portal.page.getByRole('link', { name: 'Back to On-call' }).click();
  });

  it('finds a merchant by a part of its name: host, masked recipients, account and last answers (T-52)', async () => {
    const path = '/portal/restful/merchant/notification/extra';
    const recipient = { type: 'EMAIL', value: 'night-till@shop.example', merchantId: shop.merchant.merchantId };
    accepted('the recipient', await platform.gateway({ method: 'POST', path, body: recipient, as: platform.account('psp-1') }));
    await portal.page.getByLabel('Merchant id or name').fill(`shop ${shop.merchant.merchantId.toString(36)}`);
    await portal.page.getByLabel('Merchant id or name').press('Enter');
    await shows(
      `Merchant ${shop.merchant.merchantId}`,
      new URL(shop.receiver.url).host,
      'n***@shop.example',
      'Basic: password',
      'Other than HTTP 200',
    );
    const shown = await portal.page.textContent('main');
    expect(shown).not.toMatch(/night-till@/);
    expect(shown).not.toContain(shop.receiver.url);
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('on-call-merchant');
  });

  it('pauses the endpoint of a merchant: payments wait and are settled when it is resumed; the merchant sees it (A-99, T-58)', async () => {
    shop.receiver.answer = () => 200;
    const { host } = new URL(shop.receiver.url);
    await portal.page.getByLabel('Merchant id or name').fill(String(shop.merchant.merchantId));
    await portal.page.getByLabel('Merchant id or name').press('Enter');
    await portal.page.getByRole('button', { name: 'Pause deliveries' }).click();
    await shows('Say why, in three characters at least.');
    await portal.page.getByLabel('Reason of a pause').fill('their server is moved');
    await portal.page.getByRole('combobox', { name: 'Length of the pause' }).selectOption('10 minutes');
    await portal.page.getByRole('button', { name: 'Pause deliveries' }).click();
    const dialog = portal.page.getByRole('dialog');
    expect(await dialog.textContent()).toContain('the pause reverses nothing');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('on-call-pause-dialog');
    await dialog.getByRole('button', { name: 'Pause for 10 minutes' }).click();
    await shows(`Deliveries to ${host} are paused until`, `${onCall.name}`, 'their server is moved', 'Paused endpoints');
    const payment = await payNewCode(shop.merchant);
    await eventually(async () => expect((await shop.merchant.delivery(payment))?.attempts).toEqual([]));
    await shows('Paused until');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('on-call-paused');
    await theMerchantSeesIt();
    expect((await shop.merchant.delivery(payment))?.armedAt).toBeNull();
    await portal.page
      .getByRole('button', { name: `Resume deliveries to ${host}` })
      .first()
      .click();
    await eventually(async () => expect(await shop.merchant.reversal(payment)).toMatchObject({ state: 'SETTLED' }));
    await eventually(async () => expect(await portal.page.textContent('main')).not.toContain('Paused endpoints'));
  });

  /** On Home: until when, and neither by whom nor why. */
  const theMerchantSeesIt = async () => {
    const owner = await makePerson(platform, { tenantId: String(shop.merchant.merchantId), role: 'OWNER' });
    const home = await PortalBrowser.open(platform.standalone.baseUrl);
    try {
      await home.signIn(owner);
      await eventually(async () =>
        expect(await home.page.textContent('main')).toContain('Notifications to your server wait until'),
      );
      expect(await home.page.textContent('main')).not.toMatch(/their server is moved|Person ON CALL/);
      expect(await home.accessibilityFaults()).toEqual([]);
      await home.screenshots('home-paused');
    } finally {
      await home.close();
    }
  };

  it('says that nobody knows a transaction, refuses what is no id, and needs no moving sideways on a phone', async () => {
    await lookUp(9_007_199_254_740_990);
    await shows('No service knows it');
    await portal.page.getByLabel('Transaction id').fill('order-1');
    await portal.page.getByRole('button', { name: 'Look it up' }).click();
    await shows('A transaction id has digits only');
    await portal.page.setViewportSize({ width: 360, height: 740 });
    expect(await portal.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    const right = `Math.max(...[...document.querySelectorAll('.nav a')].map(link => link.getBoundingClientRect().right))`;
    expect(await portal.page.evaluate(`${right} <= innerWidth`)).toBe(true);
  });

  it('sends no payment again, and is closed to everybody of a tenant by every call (T-24, T-52)', async () => {
    const payment = await payNewCode(shop.merchant);
    await eventually(async () => expect((await shop.merchant.delivery(payment))?.verdict).toBeTruthy());
    const letters = [{ service: 'webhook-dispatcher', letterId: Number.MAX_SAFE_INTEGER }];
    const redelivery = { method: 'POST', path: `on-call/transactions/${payment}/redeliver`, body: {} };
    const calls = [
      { path: 'on-call/stuck' },
      { path: `on-call/transactions/${payment}` },
      { path: 'on-call/merchants?search=shop' },
      { path: `on-call/merchants/${shop.merchant.merchantId}` },
      { method: 'POST', path: 'on-call/pauses/999999/end', body: {} },
      { method: 'POST', path: 'on-call/merchants/999999/pause', body: { minutes: 61, reason: 'attack' } },
      redelivery,
      { path: 'on-call/dead-letters' },
      { path: 'on-call/dead-letters/redrive' },
      { method: 'POST', path: 'on-call/dead-letters/preview', body: { letters } },
      { method: 'POST', path: 'on-call/dead-letters/redrive', body: { letters } },
    ];
    const answers = async (client: PortalClient) => Promise.all(calls.map(async call => (await client.send(call)).status));
    const signedIn = async (of: Parameters<typeof makePerson>[1]) =>
      PortalClient.signedIn(platform, await makePerson(platform, of));
    for (const role of ['ON_CALL', 'ADMINISTRATOR'])
      expect(await answers(await signedIn(operatorOf(role)))).toEqual([200, 200, 200, 200, 404, 400, 409, 200, 200, 200, 409]);
    const tenantId = String(shop.merchant.merchantId);
    const tenants = [
      { tenantId, role: 'OWNER' },
      { tenantId, role: 'DEVELOPER' },
      { tenantId, role: 'VIEWER' },
      { tenantType: 'PSP', tenantId: '1' },
      { tenantType: 'ACQUIRER', tenantId: 'Demo Bank' },
    ];
    for (const of of tenants) expect([of, await answers(await signedIn(of))]).toEqual([of, calls.map(() => 403)]);
    expect(await answers(new PortalClient(platform))).toEqual(calls.map(() => 401));
    const foreign = { ...redelivery, origin: 'https://evil.example', site: 'cross-site' };
    expect((await (await signedIn(operatorOf('ON_CALL'))).send(foreign)).status).toBe(403);
    expect(shop.receiver.received.filter(({ notification }) => notification.transactionId === payment)).toHaveLength(1);
  });
});
