import axe from 'axe-core';
import { eventually } from '@paycode/service-runtime/testing';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { SimulatorUnderTest } from '../testing/simulator-under-test';

const browserPath = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(path => path !== undefined && existsSync(path));
const screenshotFolder = join(__dirname, '../../../../.cache/portal-screenshots');
const notRun = browserPath ? '' : ' (not run: no Chromium; apt-get install chromium, or set CHROMIUM_PATH)';

(browserPath ? describe : describe.skip)(`the payment page in a browser${notRun}`, () => {
  let simulator: SimulatorUnderTest;
  let browser: Browser;
  let page: Page;
  let codesMade = 0;
  const complaints: string[] = [];

  beforeAll(async () => {
    [simulator, browser] = await Promise.all([
      SimulatorUnderTest.start(),
      chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'], timeout: 120_000 }),
    ]);
    simulator.config.merchant(1001, { merchantName: 'Corner Café' });
    page = await browser.newPage({ locale: 'en-ZA', reducedMotion: 'reduce' });
    page.setDefaultTimeout(120_000);
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', error => complaints.push(error.message));
  });
  afterAll(async () => {
    await browser?.close();
    await simulator?.stop();
  });

  const createCode = async (extra: string, amount = '110.10'): Promise<string> => {
    const body = `{"merchantReference":"browser-${++codesMade}","amount":${amount},"currencyCode":"ZAR"${extra}}`;
    const caller = { subject: 'merchant-1001', accountType: 'MERCHANT', ownerId: 1001 } as const;
    const answer = await simulator.asCaller(caller, 'POST', { path: '/pluto/code/create', body });
    expect([answer.status, answer.data]).toEqual([200, expect.any(String)]);
    return (JSON.parse(answer.data) as { code: string }).code;
  };
  const open = async (code: string) => page.goto(`${simulator.publicUrl}/public/pay/${code}`);
  /** Spaces of every width are one: which one a locale groups with is the browser's matter. */
  const plain = (text: string) => text.replace(/\s/g, ' ');
  const shown = async (place: string) => plain(await page.innerText(place));
  const result = () => shown('#result');
  const accessibilityFaults = async (shownIn = page) => {
    // By the debugger, past the policy of the page, which refuses foreign scripts.
    await shownIn.evaluate(axe.source);
    // Only what is broken leaves the page: handing over what every rule found takes seconds.
    const violations = await shownIn.evaluate<axe.Result[]>('axe.run().then(({ violations }) => violations)');
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  };
  const screenshots = async (name: string) => {
    mkdirSync(screenshotFolder, { recursive: true });
    for (const [view, colorScheme, width] of [
      ['light', 'light', 1_280],
      ['dark', 'dark', 1_280],
      ['390', 'light', 390],
      ['390-dark', 'dark', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      if (!process.env['CI']) await page.screenshot({ path: join(screenshotFolder, `${name}-${view}.png`), fullPage: true });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1_280, height: 900 });
  };

  const person = { firstName: 'Ada', lastName: 'Byron', emailAddress: 'ada@example.com', phoneNumber: '0820000000' };

  it('a customer pays a code with tip and contact data, is told what is wrong, and gets a receipt (A-84, A-85)', async () => {
    await open(await createCode(',"requestTip":true,"requestContact":true,"shortDescription":"Two coffees"'));
    expect(await shown('.amount')).toBe('R 110,10');
    await page.fill('#tipAmount', '5,o5');
    await page.click('button');
    await eventually(async () => expect(await result()).toBe('Nothing was paid yet. Please correct what is marked.'));
    expect(await shown('#tipAmount-problem')).toBe('The tip must be an amount such as 5,50.');
    expect(await shown('#country-problem')).toBe('Country is missing. The merchant needs all of these details.');
    expect(await accessibilityFaults()).toEqual([]);
    await screenshots('payment-page-refused');
    await page.fill('#tipAmount', '5,05');
    expect([await shown('#total'), await shown('button')]).toEqual(['R 115,15', 'Pay R 115,15']);
    for (const [name, text] of Object.entries(person)) await page.fill(`#${name}`, text);
    await page.selectOption('#country', { label: 'South Africa' });
    await page.click('button');
    await page.waitForSelector('#receipt');
    expect(await shown('#paid')).toBe('You paid R 115,15 to Corner Café.');
    const receipt = await page.locator('#receipt dd').allInnerTexts();
    expect(receipt.map(plain).slice(0, 4)).toEqual(['R 110,10', 'R 5,05', 'R 115,15', `browser-${codesMade}`]);
    expect(await accessibilityFaults()).toEqual([]);
    await screenshots('payment-page-receipt');
    expect([await page.$('form'), await page.$('.sandbox')]).toEqual([null, null]);
    await eventually(async () =>
      expect(await simulator.notificationOf(Number(receipt.at(-1)))).toMatchObject({
        amount: '115.15',
        tipAmount: '5.05',
        clientContact: { ...person, country: 'ZA' },
      }),
    );
  });

  it.each([
    ['1 000,5', 'R 1 110,60', ''],
    ['5.50', 'R 115,60', ''],
    ['0,00', 'R 110,10', ''],
    // Digits of other scripts: Arabic, Persian, Devanagari, Bengali, Thai, full width.
    ['٥٫٥٠', 'R 115,60', ''],
    ['۵.۵۰', 'R 115,60', ''],
    ['५.५०', 'R 115,60', ''],
    ['৫,৫০', 'R 115,60', ''],
    ['๕.๕๐', 'R 115,60', ''],
    ['５.５０', 'R 115,60', ''],
    ['5,555', '–', 'The tip may have 2 decimals at most in ZAR, such as 5,50.'],
    ['-5', '–', 'The tip must be an amount such as 5,50.'],
    ['five', '–', 'The tip must be an amount such as 5,50.'],
  ])('a tip of %s makes the total %s, before anything is paid', async (tip, total, problem) => {
    await open(await createCode(',"requestTip":true'));
    await page.fill('#tipAmount', tip);
    expect(await shown('#total')).toBe(total);
    if (problem === '') return;
    await page.click('button');
    expect([await shown('#tipAmount-problem'), await page.getAttribute('#tipAmount', 'aria-invalid')]).toEqual([problem, 'true']);
    expect(await page.evaluate('document.activeElement.id')).toBe('tipAmount');
  });

  it.each([
    { locale: 'es-ES', language: 'es', amount: '1250,50 ZAR', tip: '1,25', pay: 'Pagar 1251,75 ZAR' },
    { locale: 'en-US', language: 'en', amount: 'ZAR 1,250.50', tip: '1,000', pay: 'Pay ZAR 2,250.50' },
    { locale: 'de-DE', language: 'en', amount: '1.250,50 ZAR', tip: '1.000', pay: 'Pay 2.250,50 ZAR' },
  ])('a payer of $locale reads the page in $language, with the amounts of home: $amount', async rule => {
    const { locale, language, amount, tip, pay } = rule;
    const code = await createCode(',"requestTip":true,"requestContact":true', '1250.50');
    const abroad = await browser.newPage({ locale, reducedMotion: 'reduce' });
    await abroad.goto(`${simulator.publicUrl}/public/pay/${code}`);
    expect(await abroad.getAttribute('html', 'lang')).toBe(language);
    expect(plain(await abroad.innerText('.amount'))).toBe(amount);
    await abroad.fill('#tipAmount', tip);
    expect(plain(await abroad.innerText('button'))).toBe(pay);
    await abroad.close();
  });

  it('a payer chooses the other language on the page, and pays in it (A-96)', async () => {
    await open(await createCode(',"requestTip":true'));
    await page.getByRole('link', { name: 'Español' }).click();
    await page.selectOption('#outcome', 'END_BANK_DECLINE');
    await page.click('button');
    await eventually(async () => expect(await result()).toBe('No pagado: el banco lo ha rechazado. No se ha cobrado nada.'));
    expect(await accessibilityFaults()).toEqual([]);
    await screenshots('payment-page-spanish');
    await page.selectOption('#outcome', 'SUCCESS');
    await page.click('button');
    await page.waitForSelector('#receipt');
    expect(await shown('#paid')).toBe('Ha pagado 110,10 ZAR a Corner Café.');
  });

  it('phones show the keyboard of each field, and browsers fill it in', async () => {
    const expiresAt = Date.now() + 1_800_000;
    await open(await createCode(`,"requestTip":true,"requestContact":true,"expiryDate":${expiresAt}`));
    const inputs = await page.$$eval('main input', fields =>
      fields.map(({ id, type, inputMode, autocomplete }) => [id, type, inputMode, autocomplete]),
    );
    expect(inputs).toEqual([
      ['clientMsisdn', 'tel', '', 'tel'],
      ['tipAmount', 'text', 'decimal', 'off'],
      ['firstName', 'text', '', 'given-name'],
      ['lastName', 'text', '', 'family-name'],
      ['emailAddress', 'email', '', 'email'],
      ['phoneNumber', 'tel', '', 'tel'],
    ]);
    expect(await page.getAttribute('time', 'datetime')).toBe(new Date(expiresAt).toISOString());
    expect(await page.$('main #outcome')).toBeNull();
    expect(await accessibilityFaults()).toEqual([]);
    await screenshots('payment-page');
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.setViewportSize({ width: 1_280, height: 900 });
  });

  it.each([
    ['END_BANK_DECLINE', 'the bank declined it.'],
    ['END_CLIENT_CANCEL', 'you cancelled it.'],
    ['END_TIMEOUT_PURCHASE', 'a step took too long.'],
  ])('a customer is told of the outcome %s in words', async (state, words) => {
    await open(await createCode(''));
    await page.selectOption('#outcome', state);
    await page.click('button');
    await eventually(async () => expect(await result()).toBe(`Not paid: ${words} No money was taken.`));
  });

  describe('regression: one intention to pay takes the money once (A-89)', () => {
    const paymentsOf = (code: string) => simulator.paymentsOf(code);
    const newPayer = () => browser.newPage({ locale: 'en-ZA', reducedMotion: 'reduce' });
    const path = (code: string) => `${simulator.publicUrl}/public/pay/${code}`;
    /** The first request to pay arrives, and its answer does not. */
    const losesFirstAnswer = async (payer: Page, { isAsked = true } = {}) => {
      let posts = 0;
      await payer.route('**/public/pay/**', async route => {
        const isFirst = route.request().method() === 'POST' && ++posts === 1;
        if (isFirst) await route.fetch();
        const isLost = isFirst || (!isAsked && route.request().url().includes('/payments/'));
        await (isLost ? route.abort('connectionreset') : route.continue());
      });
    };

    it('after a lost answer the page asks, and shows the receipt of this press', async () => {
      const code = await createCode(',"useOnce":false,"requestTip":true');
      const payer = await newPayer();
      await losesFirstAnswer(payer);
      await payer.goto(path(code));
      await payer.fill('#tipAmount', '5,05');
      await payer.click('form button');
      await payer.waitForSelector('#receipt');
      expect(plain(await payer.innerText('#paid'))).toBe('You paid R 115,15 to Corner Café.');
      expect(await paymentsOf(code)).toBe(1);
      await payer.close();
    });

    it('when asking fails too, a second press, also of the page loaded again, is the same payment', async () => {
      const code = await createCode(',"useOnce":false');
      const payer = await newPayer();
      await losesFirstAnswer(payer, { isAsked: false });
      await payer.goto(path(code));
      await payer.click('form button');
      await payer.waitForSelector('#result[data-state=refused]');
      expect(await payer.innerText('#result')).toContain('you are not charged twice');
      await payer.reload();
      await payer.click('form button');
      await payer.waitForSelector('#receipt');
      expect(await paymentsOf(code)).toBe(1);
      await payer.close();
    });

    it('a page loaded again after paying shows the receipt, another payment takes another press, and other payers pay for themselves', async () => {
      const code = await createCode(',"useOnce":false');
      const payer = await newPayer();
      await payer.goto(path(code));
      await payer.dblclick('form button');
      await payer.waitForSelector('#receipt');
      await payer.goto('about:blank');
      await payer.goto(path(code));
      await payer.waitForSelector('#receipt');
      expect(await paymentsOf(code)).toBe(1);
      await payer.click('#again');
      await payer.waitForSelector('form button');
      await payer.click('form button');
      await payer.waitForSelector('#receipt');
      const other = await newPayer();
      await other.goto(path(code));
      await other.click('form button');
      await other.waitForSelector('#receipt');
      expect(await paymentsOf(code)).toBe(3);
      await Promise.all([payer.close(), other.close()]);
    });

    it('a declined payment is over: the next press is another one', async () => {
      const code = await createCode('');
      await open(code);
      await page.selectOption('#outcome', 'END_BANK_DECLINE');
      await page.click('form button');
      await eventually(async () => expect(await result()).toContain('the bank declined it'));
      await page.selectOption('#outcome', 'SUCCESS');
      await page.click('form button');
      await page.waitForSelector('#receipt');
      expect([await page.$('#again'), await paymentsOf(code)]).toEqual([null, 1]);
      await page.reload();
      await page.waitForSelector('#receipt');
    });
  });

  it('a code that was paid shows no form, one that is paid meanwhile says so, and the browser complains of nothing', async () => {
    const code = await createCode('');
    await open(code);
    const other = await browser.newPage({ locale: 'en-ZA' });
    await other.goto(`${simulator.publicUrl}/public/pay/${code}`);
    await page.click('button');
    await page.waitForSelector('#receipt');
    await other.click('button');
    await eventually(async () => expect(await other.innerText('#result')).toMatch(/^This code cannot be paid any more/));
    await other.close();
    const late = await browser.newPage({ locale: 'en-ZA' });
    await late.goto(`${simulator.publicUrl}/public/pay/${code}`);
    expect([await late.innerText('#result'), await late.isVisible('form')]).toEqual(['This code was paid already.', false]);
    expect(await accessibilityFaults(late)).toEqual([]);
    await late.close();
    await open('0000000000');
    expect(await shown('h1')).toBe('Unknown code');
    expect(await accessibilityFaults()).toEqual([]);
    expect(complaints).toEqual([expect.stringContaining('404')]);
  });
});
