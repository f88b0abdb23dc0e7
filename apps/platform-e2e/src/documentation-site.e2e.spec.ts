import { randomUUID } from 'node:crypto';
import { eventually } from '@paycode/service-runtime/testing';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { ExactGatewayClient } from './testing/exact-gateway-client';
import { sharedPlatform } from './testing/platform';
import { browserPath, describeInBrowser } from './testing/portal-browser';

const patienceMs = 120_000;
/** Another process may still build it. */
const builtWithinMs = 600_000;

describeInBrowser('the documentation site in a browser', () => {
  const platform = sharedPlatform();
  const origin = platform.standalone.baseUrl;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];
  const foreign: string[] = [];

  beforeAll(async () => {
    const gateway = new ExactGatewayClient(platform);
    await eventually(async () => expect((await gateway.send({ path: '/docs/' })).status).toBe(200), builtWithinMs);
    browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'], timeout: patienceMs });
    context = await browser.newContext({ ignoreHTTPSErrors: true });
    page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', error => complaints.push(error.message));
    page.on(
      'request',
      request => /^https?:/.test(request.url()) && !request.url().startsWith(origin) && foreign.push(request.url()),
    );
  });
  afterAll(() => browser?.close());

  it('leads from the address of the platform to a page, and finds another by its words, with no other host (A-90, A-91)', async () => {
    await page.goto(origin);
    expect(await page.textContent('h1')).toBe('Paycode');
    const links = await page.$$eval('a[href]', anchors => anchors.map(anchor => anchor.getAttribute('href')!));
    expect(links).toContain('/console/');
    for (const link of new Set(links)) {
      // The portal may be starting: it asks to come again.
      await eventually(async () => {
        const answer = await context.request.get(new URL(link, origin).href);
        expect([link, answer.status()]).toEqual([link, 200]);
      }, patienceMs);
    }
    await page.click('text=Merchant or PSP');
    await page.waitForURL('**/docs/#merchant-or-psp');
    await page.click('#local-search button');
    await page.fill('.VPLocalSearchBox input', 'challenge renew token');
    await page.click('.VPLocalSearchBox .result >> nth=0');
    await page.waitForURL(/\/docs\/(how-to|kits|specification|reference|decisions)\//);
    await page.goto(`${origin}/docs/how-to/log-in`);
    expect(await page.textContent('h1')).toContain('Log in');
    await page.click('.VPSwitchAppearance >> visible=true');
    await page.waitForFunction('document.documentElement.classList.contains("dark")');
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] });
  });

  it('the search leads to an operation of the API reference by one of its fields (A-90)', async () => {
    await page.goto(`${origin}/docs/how-to/log-in`);
    await page.click('#local-search button');
    await page.fill('.VPLocalSearchBox input', 'requestContact shortDescription expiryDate');
    await page.click('.VPLocalSearchBox .result:has-text("Create a payment code") >> nth=0');
    await page.waitForURL('**/docs/reference/operations#create-a-payment-code');
    await page.click('a:text-is("createCode")');
    await page.waitForURL('**/docs/api/#/Codes/createCode');
    await page.waitForSelector('#operations-Codes-createCode.is-open');
    await page.goto(`${origin}/docs/reference/operations`);
    await page.click('a:text-is("addHttp")');
    await page.waitForSelector('#operations-Merchant_notifications-addHttp.is-open');
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] });
  });

  it('a reader signs in to the API reference and makes a code on the platform that serves it, with no other host (A-90)', async () => {
    const { username, password } = platform.account('merchant-1002');
    await page.goto(`${origin}/docs/how-to/log-in`);
    await page.click('nav >> text=API');
    await page.fill('.operation-filter-input', 'missed notification');
    await page.waitForFunction('document.querySelectorAll(".opblock").length === 1');
    expect(await page.textContent('.opblock-summary-path')).toContain('notification');
    await page.fill('.operation-filter-input', '');
    await page.click('.scheme-container .authorize');
    await page.fill('#auth-basic-username', username);
    await page.fill('#auth-basic-password', password);
    await page.click('.auth-container:has(#auth-basic-username) button.authorize');
    await page.click('.modal-ux .btn-done >> nth=0');
    const call = '#operations-Codes-createCode';
    await page.click(`${call} .opblock-summary-control`);
    await page.click(`${call} .try-out__btn`);
    await page.fill(`${call} textarea`, JSON.stringify({ merchantReference: randomUUID(), amount: 25.5, currencyCode: 'ZAR' }));
    await page.click(`${call} button.execute`);
    expect(await page.textContent(`${call} .live-responses-table pre`)).toMatch(/"code": "\d{10}"/);
    await page.goto(`${origin}/docs/api/?webhooks`);
    await page.waitForSelector('text=A transaction of the merchant reached a final state');
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] });
  });
});
