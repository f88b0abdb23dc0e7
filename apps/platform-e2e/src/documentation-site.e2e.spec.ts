import { randomUUID } from 'node:crypto';
import { eventually } from '@paycode/service-runtime/testing';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { ExactGatewayClient } from './testing/exact-gateway-client';
import { sharedPlatform } from './testing/platform';
import { browserPath, describeInBrowser } from './testing/portal-browser';

const patienceMs = 120_000;
const [integrate, test] = ['how-to/integrate', 'how-to/develop-a-receiver-on-your-machine'];
/** Terms that integrators type, each with the section that answers. */
const answers: readonly (readonly [term: string, section: string])[] = [
  ['idempotency', `${integrate}#idempotency`],
  ['rate limit', `${integrate}#rate-limits`],
  ['IP allow-list', `${integrate}#ip-addresses-and-allow-lists`],
  ['retry', `${integrate}#retry-schedule`],
  ['timeout', `${integrate}#timeouts`],
  ['pagination', `${integrate}#lists-and-pagination`],
  ['refund', `${integrate}#refunds-reversals-and-disputes`],
  ['dispute', `${integrate}#refunds-reversals-and-disputes`],
  ['decimals', `${integrate}#amounts-and-decimals`],
  ['status codes', `${integrate}#errors-and-http-status-codes`],
  ['test cards', `${test}#test-cards-and-outcomes`],
  ['signature', `${integrate}#signature-and-mtls`],
  ['mTLS', `${integrate}#signature-and-mtls`],
  ['localhost', `${test}#localhost`],
  ['duplicate', `${integrate}#duplicates-and-ordering`],
  ['ordering', `${integrate}#duplicates-and-ordering`],
  ['replay', `${integrate}#replay-attacks`],
  ['key rotation', `${integrate}#key-rotation`],
  ['sandbox', `${test}#test-in-the-sandbox`],
  ['go live', `${integrate}#go-live`],
  ['webhook retries', `${integrate}#retry-schedule`],
  ['IP whitelist', `${integrate}#ip-addresses-and-allow-lists`],
  ['error codes', `${integrate}#errors-and-http-status-codes`],
  ['chargeback', `${integrate}#refunds-reversals-and-disputes`],
  ['reconciliation', `${integrate}#missed-notifications-and-reconciliation`],
  ['hmac', `${integrate}#signature-and-mtls`],
  ['ngrok', `${test}#localhost`],
  ['versioning', 'api-changelog#api-changelog'],
];
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
      const answer = await context.request.get(new URL(link, origin).href);
      expect([link, answer.status()]).toEqual([link, 200]);
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

  it('the search answers what integrators type with the section that they need, on a phone too (A-90)', async () => {
    await page.goto(`${origin}/docs/how-to/log-in`);
    await page.click('#local-search button');
    const found = async (term: string): Promise<readonly [string, string | null]> => {
      await page.fill('.VPLocalSearchBox input', '');
      await page.waitForSelector('.VPLocalSearchBox .result', { state: 'detached' });
      await page.fill('.VPLocalSearchBox input', term);
      const href = await page.getAttribute('.VPLocalSearchBox .result >> nth=0', 'href');
      return [term, href && href.replace('/docs/', '')];
    };
    const first: (readonly [string, string | null])[] = [];
    for (const [term] of answers) first.push(await found(term));
    expect(first).toEqual(answers);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${origin}/docs/how-to/log-in`);
    await page.click('#local-search button');
    expect(await found('idempotency')).toEqual(answers[0]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.setViewportSize({ width: 1280, height: 844 });
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] });
  });

  it('the quickstart shows one language at a time, and remembers it on the next visit (A-90)', async () => {
    const chosen = (): Promise<string | null> => page.textContent('.plugin-tabs [aria-selected=true]');
    await page.goto(`${origin}/docs/tutorials/quickstart`);
    expect(await chosen()).toBe('Node');
    await page.click('.plugin-tabs--tab:text-is("Python")');
    expect(await page.textContent('.plugin-tabs--content')).toContain('pip install');
    await page.reload();
    await page.waitForSelector('.plugin-tabs--tab[aria-selected=true]:text-is("Python")');
    expect(await page.textContent('.plugin-tabs--content')).toContain('pip install');
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] });
  });

  it('programs read each page as Markdown, and find it in llms.txt (A-90)', async () => {
    const list = await (await context.request.get(`${origin}/docs/llms.txt`)).text();
    const links = [...list.matchAll(/\]\((\/docs\/[^)#]*)/g)].map(([, link]) => link!);
    expect(links).toEqual(expect.arrayContaining(['/docs/tutorials/quickstart.md', '/docs/how-to/integrate.md']));
    for (const link of new Set(links)) {
      const answer = await context.request.get(origin + link);
      expect([link, answer.status()]).toEqual([link, 200]);
      if (link.endsWith('.md')) expect(answer.headers()['content-type']).toBe('text/markdown; charset=utf-8');
    }
  });

  it('the page of packages leads to each archive (A-90)', async () => {
    const list = await (await context.request.get(`${origin}/docs/packages/`)).text();
    const names = [...list.matchAll(/<li><a href="([^"]+)">/g)].map(([, name]) => name!);
    expect(names).toContainEqual(expect.stringMatching(/^paycode-receiver-.*\.tgz$/));
    for (const name of names)
      expect([name, (await context.request.get(`${origin}/docs/packages/${name}`)).status()]).toEqual([name, 200]);
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
