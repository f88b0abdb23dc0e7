import { readFileSync } from 'node:fs';
import { importWebhookKey, webhookEnvelope } from '@paycode/crypto';
import { type Merchant, MerchantReceiver } from '@paycode/platform-client';
import { eventually } from '@paycode/service-runtime/testing';
import { strFromU8, unzipSync } from 'fflate';
import { create } from 'qrcode';
import { makeMerchant, payNewCode, sharedPlatform } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, type PortalPerson } from './testing/portal-client';

/** A merchant's owner in front of the portal, from nothing to a reversed payment and its cause. */
describeInBrowser('the portal in a browser', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  let merchant: Merchant;
  let receiver: MerchantReceiver;
  let owner: PortalPerson;

  beforeAll(async () => {
    [merchant, receiver] = await Promise.all([makeMerchant(platform), MerchantReceiver.start()]);
    owner = await makePerson(platform, { tenantId: String(merchant.merchantId), name: 'Thandi Nkosi' });
  });
  afterAll(() => receiver?.stop());

  const body = () => portal.page.textContent('main');
  const go = portal.go.bind(portal);
  const shows = portal.shows.bind(portal);

  it('nobody sees a page before signing in, and a wrong password says nothing of who exists (T-06)', async () => {
    await portal.goto('payments');
    await shows('Sign in to Paycode');
    await portal.screenshots('sign-in');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.signIn({ ...owner, password: 'not my password' });
    await shows('E-mail address or password is wrong.');
    await portal.signIn({ ...owner, email: 'nobody@journey.example' });
    await shows('E-mail address or password is wrong.');
  });

  it('the owner signs in by keyboard alone, comes to Home, and reads the steps to a first payment', async () => {
    await portal.goto('sign-in');
    await portal.page.getByLabel('E-mail address').focus();
    await portal.page.keyboard.type(owner.email);
    await portal.page.keyboard.press('Tab');
    await portal.page.keyboard.type(owner.password);
    await portal.page.keyboard.press('Enter');
    await shows('Get your first payment', 'Set your server', 'Test it', 'Take a payment', 'Not set', 'No payments in this time');
    await portal.page.getByText(`Merchant ${merchant.merchantId} · Thandi Nkosi, owner`).waitFor();
    expect(await portal.page.textContent('header')).toContain(`Shop ${merchant.merchantId.toString(36)}`);
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('home-empty');
  });

  it('a URL that nobody answers is refused with its cause, and nothing is set', async () => {
    await go('Your server');
    await shows('No URL is set', 'Nobody yet');
    await portal.page.getByLabel('URL of your server').fill('http://127.0.0.1:9/nobody');
    await portal.page.getByLabel('Your password for the portal').fill(owner.password);
    await portal.page.getByRole('button', { name: 'Register' }).click();
    await shows('URL validation failed: not reachable', 'Nothing listens at this address and port');
  });

  it('registers a receiver, is shown its key once, and the check says how long it takes', async () => {
    await portal.page.getByLabel('URL of your server').fill(receiver.url);
    await portal.page.getByLabel('Your password for the portal').fill(owner.password);
    await portal.page.getByRole('button', { name: 'Register' }).click();
    await shows('It is shown now and not again', receiver.url);
    receiver.encryptKey = (await portal.page.textContent('code[data-secret]'))!;
    await portal.page.getByRole('button', { name: 'Check' }).click();
    await shows('Your server answered as it should', 'answered HTTP 200', 'In all');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('notifications');
    await portal.page.reload();
    await shows(receiver.url);
    expect(await body()).not.toContain(receiver.encryptKey);
  });

  it('adds and removes the address of a till', async () => {
    await portal.page.getByLabel('E-mail address').fill('till@shop.example');
    await portal.page.getByRole('button', { name: 'Add' }).click();
    await shows('till@shop.example');
    await portal.page.getByRole('button', { name: 'Remove till@shop.example' }).click();
    const dialog = portal.page.getByRole('dialog');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('notifications-remove');
    await dialog.getByLabel('Your password for the portal').fill(owner.password);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await shows('Nobody yet');
  });

  it('sees a payment settle, with each step of its life', async () => {
    const transactionId = await payNewCode(merchant, '1250.50');
    await go('Payments');
    await shows(String(transactionId));
    await eventually(async () => expect(await portal.page.textContent(`tr:has-text("${transactionId}")`)).toContain('Settled'));
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('payments');
    await portal.page.getByRole('link', { name: String(transactionId) }).click();
    await shows(
      'Your server answered HTTP 200',
      'Reversal armed',
      'Attempt 1: notification sent',
      'Decided: settled',
      'Acknowledged: your server answered HTTP 200',
    );
    await portal.screenshots('payment-settled');
    expect(await portal.accessibilityFaults()).toEqual([]);
  });

  it('sees why a payment was reversed, and what to do', async () => {
    receiver.answer = () => 400;
    const transactionId = await payNewCode(merchant, '99.95');
    await portal.goto(`payments/${transactionId}`);
    await shows(
      'Reversed: the customer has the money back',
      'Your server answered HTTP 400',
      'Do not hand over the goods',
      'Next steps:',
      'Money returned by transaction',
    );
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('payment-reversed');
  });

  it('shows what the server saw: the decrypted body, and bytes that open to it with the merchant’s key', async () => {
    await portal.page.getByRole('button', { name: 'Show what your server saw' }).click();
    const textOf = (label: string) => portal.page.getByLabel(label, { exact: true }).textContent();
    await shows('"amount": 99.95', 'x-webhook-attempt: 1');
    await portal.page.getByRole('button', { name: 'As sent' }).click();
    const [json, sealed] = [await textOf('Decrypted body'), await textOf('Request body, Base64')];
    const opened = webhookEnvelope('AES-128-GCM').decrypt(importWebhookKey(receiver.encryptKey), sealed!);
    const seen = receiver.received.find(({ notification }) => notification.amount === 99.95)!;
    expect([opened.toString(), seen.plaintext]).toEqual([json, json]);
    await portal.screenshots('payment-notification');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await shows('Acknowledges nothing: this payment is reversed');
    await portal.page.getByRole('button', { name: 'Fetch the notification' }).click();
    await shows('"status": "REVERSED"');
  });

  it('is told live when a payment that waits is acknowledged, here by fetching it, which says so before', async () => {
    const asked = Promise.withResolvers<number>();
    receiver.answer = () => asked.promise;
    const transactionId = await payNewCode(merchant, '12.34');
    // Too many streams of one person are refused; the page asks again.
    await portal.page.route(`**/payments/${transactionId}/changes`, route => route.fulfill({ status: 429 }), { times: 1 });
    await portal.goto(`payments/${transactionId}`);
    await shows('Live: this page changes by itself', 'Waiting for your server', 'Acknowledges this payment: it waits');
    await portal.page.getByRole('button', { name: 'Fetch and acknowledge…' }).click();
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.page.getByRole('dialog').getByRole('button', { name: 'Fetch and acknowledge' }).click();
    await shows(
      '"status": "SUCCESS"',
      'Your server read the notification itself',
      'Acknowledged: your server read the notification',
    );
    await portal.screenshots('payment-fetched');
    asked.resolve(200);
    receiver.answer = () => 400;
  });

  it('Home then tells of the reversal, and adds the day up by outcome', async () => {
    // regression: answers that all took less than half a millisecond have a chart, too.
    await portal.page.route('**/home?*', async route => {
      const response = await route.fetch();
      const home = (await response.json()) as { chart: { buckets: { slowestMs: number | null; medianMs: number | null }[] } };
      for (const bucket of home.chart.buckets) if (bucket.slowestMs !== null) bucket.slowestMs = bucket.medianMs = 0;
      await route.fulfill({ response, json: home });
    });
    await go('Home');
    await shows(
      'Your server answered HTTP 400 to 1 payment at',
      'back: do not hand over the goods',
      'Time until the answer',
      'Slowest: under 1 ms',
      'In numbers',
    );
    // Home asks again by itself: a question that is on its way is answered before its route ends.
    await portal.page.unrouteAll({ behavior: 'wait' });
    const tile = (name: string) => portal.page.textContent(`a.tile:has-text("${name}")`);
    await eventually(async () => expect(await tile('Settled')).toMatch(/Settled.*1\s?262[.,]84.*2 payments/));
    expect(await tile('Reversed')).toMatch(/Reversed.*99[.,]95.*1 payment/);
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('home');
    await portal.page.getByRole('link', { name: 'See the payment' }).click();
    await eventually(async () => expect(await portal.page.locator('tbody tr').count()).toBe(1));
    await shows('99');
  });

  it('finds a payment by its reference, by its outcome, and by how its reference begins in any case', async () => {
    await go('Payments');
    await portal.page.getByLabel('Outcome').selectOption('REVERSED');
    await eventually(async () => expect(await portal.page.locator('tbody tr').count()).toBe(1));
    const reference = (await portal.page.textContent('tbody tr .reference'))!;
    await portal.page.getByLabel('Outcome').selectOption('');
    const search = portal.page.getByLabel('Transaction, reference, code or amount');
    await search.fill(reference);
    await portal.page.getByRole('button', { name: 'Search' }).click();
    await eventually(async () => expect(await portal.page.locator('tbody tr').first().textContent()).toContain(reference));
    await search.fill(reference.slice(0, -1).toUpperCase());
    await portal.page.getByRole('button', { name: 'Search' }).click();
    await eventually(async () => expect(await portal.page.locator('tbody').textContent()).toContain(reference));
    await search.fill(reference.slice(1));
    await portal.page.getByRole('button', { name: 'Search' }).click();
    await shows('No payment fits');
  });

  it('finds payments by amount, status and answer, and says what no payment can have', async () => {
    await go('Payments');
    const rows = (count: number, text: string) =>
      eventually(async () => {
        expect(await portal.page.locator('tbody tr').count()).toBe(count);
        expect(await portal.page.locator('tbody tr').first().textContent()).toContain(text);
      });
    const search = portal.page.getByLabel('Transaction, reference, code or amount');
    await search.fill('1 250,50');
    await portal.page.getByRole('button', { name: 'Search' }).click();
    await rows(1, 'HTTP 200');
    await search.fill('R 99.95');
    await portal.page.getByRole('button', { name: 'Search' }).click();
    await portal.page.getByLabel('Answer of your server').selectOption('NON_200');
    await rows(1, 'Other than HTTP 200');
    const download = portal.page.waitForEvent('download');
    await portal.page.getByRole('button', { name: 'Export CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^payments-[\dT-]+Z\.csv$/);
    await shows('Exported', '1 payment', 'reversed');
    const [header, line, ...others] = readFileSync(await file.path(), 'utf8').split('\r\n');
    expect([header, line, others]).toEqual([
      expect.stringMatching(/^\uFEFFtransactionId,.*,amount,currencyCode,reference,/),
      expect.stringMatching(/,REVERSED,NON_200,99\.95,ZAR,/),
      [''],
    ]);
    const workbook = portal.page.waitForEvent('download');
    await portal.page.getByRole('button', { name: 'Export Excel (XLSX)' }).click();
    expect((await workbook).suggestedFilename()).toMatch(/^payments-[\dT-]+Z\.xlsx$/);
    const parts = unzipSync(readFileSync(await (await workbook).path()));
    expect(strFromU8(parts['xl/worksheets/sheet1.xml']!)).toMatch(/<row r="2">.*<v>99\.95<\/v>.*<\/row><\/sheetData>/);
    await portal.page.getByLabel('Status').selectOption('BANK_OFFLINE');
    await shows('No payment fits');
    await search.fill('99.950.1,2');
    await portal.page.getByRole('button', { name: 'Search' }).click();
    await shows('The amount must be a number such as 42');
    expect(await search.inputValue()).toBe('99.950.1,2');
    expect(await portal.accessibilityFaults()).toEqual([]);
  });

  it('a reversed payment is one line, and an export that is refused says so', async () => {
    await portal.goto('payments?search=&outcome=REVERSED');
    await shows('money back');
    await portal.goto('payments');
    await eventually(async () => expect(await portal.page.locator('tbody tr').count()).toBe(3));
    await portal.page.route('**/payments/export*', route => route.fulfill({ status: 401, json: { message: 'please sign in' } }));
    await portal.page.getByRole('button', { name: 'Export CSV' }).click();
    await shows('Please sign in.');
    await portal.page.unrouteAll({ behavior: 'wait' });
  });

  it('regression: times are typed by keys, on a phone as well, a wrong one stays in its field with the rule, and the way back from a payment keeps the filter', async () => {
    await portal.page.setViewportSize({ width: 390, height: 844 });
    await portal.goto('payments');
    const { keyboard } = portal.page;
    await portal.page.locator('tbody tr').first().waitFor();
    // The filters are folded.
    expect(await portal.page.getByLabel('From', { exact: true }).isVisible()).toBe(false);
    await portal.page.getByText('Filters', { exact: true }).click();
    const from = portal.page.getByLabel('From', { exact: true });
    await from.focus();
    await keyboard.type('yesterdy 14:00');
    await keyboard.press('Enter');
    await shows('From: Write a day as');
    expect([await from.inputValue(), new URL(portal.page.url()).searchParams.get('from')]).toEqual(['yesterdy 14:00', null]);
    expect(await portal.accessibilityFaults()).toEqual([]);
    await from.fill('');
    await keyboard.type('2030-01-02 14:05');
    await keyboard.press('Enter');
    await shows('No payment fits');
    const typed = new Date(2030, 0, 2, 14, 5).toISOString();
    expect(new URL(portal.page.url()).searchParams.get('from')).toBe(typed);
    await portal.page.getByLabel('Until', { exact: true }).focus();
    await keyboard.type('today');
    await keyboard.press('Tab');
    await shows('Until must be later than From.');
    await portal.page.getByLabel('Time', { exact: true }).selectOption('Today');
    await eventually(async () => expect(await portal.page.locator('tbody tr').count()).toBe(3));
    expect(portal.page.url()).toMatch(/range=today/);
    await portal.page.locator('h1').click();
    await keyboard.press('j');
    await keyboard.press('j');
    await keyboard.press('k');
    await keyboard.press('Enter');
    await shows('Timeline');
    await portal.page.getByRole('main').getByRole('link', { name: 'Payments', exact: true }).click();
    await portal.page.locator('tbody tr').first().waitFor();
    expect(portal.page.url()).toMatch(/range=today/);
    await portal.goto('payments');
    await portal.page.locator('tbody tr').first().waitFor();
    await keyboard.press('/');
    await keyboard.type('1250,50');
    await keyboard.press('Enter');
    await eventually(async () => expect(await portal.page.locator('tbody tr').count()).toBe(1));
    await portal.screenshots('payments-found');
  });

  it('turns the pages of a long list, to older payments and back', async () => {
    receiver.answer = () => 200;
    for (let round = 0; round < 6; round++) await Promise.all([1, 2, 3, 4].map(() => payNewCode(merchant, '1.00')));
    await go('Home');
    await go('Payments');
    const button = (name: string) => portal.page.getByRole('button', { name, exact: true });
    const ids = () => portal.page.locator('tbody th').allTextContents();
    const turned = (from: string[]) =>
      eventually(async () => {
        const now = await ids();
        expect(now.filter(id => from.includes(id))).toEqual([]);
        return now;
      });
    await eventually(async () => expect(await ids()).toHaveLength(25));
    const newest = await ids();
    await button('Older').click();
    const older = await turned(newest);
    expect(older.length).toBeGreaterThan(0);
    await portal.screenshots('payments-older');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await button('Newer').click();
    expect(await turned(older)).toEqual(newest);
  });

  it('ends another browser’s session, which then has to sign in', async () => {
    const other = await PortalBrowser.open(platform.standalone.baseUrl);
    try {
      await other.signIn(owner);
      await eventually(async () => expect(await other.page.textContent('main')).toContain('Latest payments'));
      await go('Security');
      await portal.page.getByRole('button', { name: 'End' }).click();
      await eventually(async () => expect(await portal.page.getByRole('button', { name: 'End' }).count()).toBe(0));
      expect(await portal.accessibilityFaults()).toEqual([]);
      await portal.screenshots('security');
      await other.goto('payments');
      await eventually(async () => expect(await other.page.textContent('main')).toContain('Sign in to Paycode'));
    } finally {
      await other.close();
    }
  });

  it('an authenticator app scans its key from a picture that this browser draws', async () => {
    await go('Security');
    await portal.page.getByRole('button', { name: 'Set up an app' }).click();
    const url = await portal.page.getByRole('link', { name: 'Open in the app on this device' }).getAttribute('href');
    const path = await portal.page.getByRole('img', { name: 'QR code of the key' }).locator('path').getAttribute('d');
    const { modules } = create(url!, { errorCorrectionLevel: 'M' });
    const drawn = [...path!.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => modules.get(Number(y), Number(x)));
    expect(drawn).toEqual(Array<number>(modules.data.reduce((sum, point) => sum + point, 0)).fill(1));
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('security-app');
  });

  it('on a phone nothing has to be moved sideways', async () => {
    await portal.page.setViewportSize({ width: 360, height: 740 });
    for (const path of ['', 'payments', 'notifications', 'security']) {
      await portal.goto(path);
      await portal.page.waitForSelector('h1');
      const fits = await portal.page.evaluate('document.documentElement.scrollWidth <= innerWidth');
      expect([path, fits]).toEqual([path, true]);
    }
  });

  it('the browser had nothing to complain of: no error, nothing the policy refused, no foreign host (T-53)', () => {
    expect(portal.complaints).toEqual([]);
  });
});
