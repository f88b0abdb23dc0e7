import { existsSync } from 'node:fs';
import { eventually } from '@paycode/service-runtime/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import { SimulatorUnderTest } from '../../testing/simulator-under-test';

const browserPath = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(path => path !== undefined && existsSync(path));
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
    page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', error => complaints.push(error.message));
  });
  afterAll(async () => {
    await browser?.close();
    await simulator?.stop();
  });

  const createCode = async (extra: string): Promise<string> => {
    const body = `{"merchantReference":"browser-${++codesMade}","amount":110.10,"currencyCode":"ZAR"${extra}}`;
    const caller = { subject: 'merchant-1001', accountType: 'MERCHANT', ownerId: 1001 } as const;
    const answer = await simulator.asCaller(caller, 'POST', { path: '/pluto/code/create', body });
    expect([answer.status, answer.data]).toEqual([200, expect.any(String)]);
    return (JSON.parse(answer.data) as { code: string }).code;
  };
  const open = async (code: string) => page.goto(`${simulator.publicUrl}/public/pay/${code}`);
  const result = () => page.textContent('#result');

  const person = { firstName: 'Ada', lastName: 'Byron', emailAddress: 'ada@example.com', phoneNumber: '0820000000' };

  it('a customer pays a code with tip and contact data, and sees the transaction (A-84, A-85)', async () => {
    await open(await createCode(',"requestTip":true,"requestContact":true,"shortDescription":"Two coffees"'));
    expect(await page.textContent('.amount')).toBe('110.10 ZAR');
    await page.fill('#tipAmount', '5,o5');
    await page.click('button');
    await eventually(async () => expect(await result()).toBe('The tip must be an amount such as 5.50.'));
    await page.fill('#tipAmount', '5,05');
    for (const [name, text] of Object.entries(person)) await page.fill(`#${name}`, text);
    await page.selectOption('#country', { label: 'South Africa' });
    await page.click('button');
    const text = await eventually(async () => {
      const shown = await result();
      expect(shown).toMatch(/^Transaction \d+: SUCCESS$/);
      return shown!;
    });
    const transactionId = Number(/\d+/.exec(text)![0]);
    await eventually(async () =>
      expect(await simulator.notificationOf(transactionId)).toMatchObject({
        amount: '115.15',
        tipAmount: '5.05',
        clientContact: { ...person, country: 'ZA' },
      }),
    );
    expect(await page.evaluate('document.querySelector("img").naturalWidth')).toBeGreaterThan(0);
  });

  it.each([
    ['END_BANK_DECLINE', 'BANK_REJECTED'],
    ['END_CLIENT_CANCEL', 'CLIENT_CANCEL'],
    ['END_TIMEOUT_PURCHASE', 'TIMEOUT_PURCHASE'],
  ])('a customer chooses the outcome %s', async (state, status) => {
    await open(await createCode(''));
    await page.selectOption('#outcome', state);
    await page.click('button');
    await eventually(async () => expect(await result()).toMatch(new RegExp(`: ${status}$`)));
  });

  it('a code that was paid shows no form, and the page breaks no rule of its own security policy', async () => {
    const code = await createCode('');
    await open(code);
    await page.click('button');
    await eventually(async () => expect(await result()).toContain('SUCCESS'));
    await open(code);
    expect([await result(), await page.$('form')]).toEqual(['This code was paid already.', null]);
    expect(complaints).toEqual([]);
  });
});
