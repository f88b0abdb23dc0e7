import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { strFromU8, unzipSync } from 'fflate';
import { Client } from 'pg';
import { OutboxFolder } from './testing/outbox-folder';
import { sharedPlatform, shopOfJourney } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, PortalClient, type PortalPerson } from './testing/portal-client';

const amounts = ['10.50', '0.25', '1000.00'];
const month = () => new Date().toISOString().slice(0, 7);

/** An accountant takes the month into a spreadsheet. */
describeInBrowser('statements', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  const shop = shopOfJourney(platform);
  let viewer: PortalPerson;

  beforeAll(async () => {
    viewer = await makePerson(platform, { tenantId: String(shop.merchant.merchantId), role: 'VIEWER' });
    for (const [at, amount] of amounts.entries()) {
      const wish = { merchantReference: `sale-${at}`, amount, currencyCode: 'ZAR', ...(at === 2 && { requestTip: true }) };
      const { code } = await shop.merchant.createCode(wish);
      const id = await shop.merchant.pay(code);
      await shop.receiver.webhook(({ transactionId }) => transactionId === id);
    }
    await portal.signIn(viewer);
    await portal.go('Statements');
  });

  const shown = async () => (await portal.page.textContent('main'))!.replaceAll(/\s/g, ' ');

  it('show the sums of the month to everybody of the merchant, on a screen, a phone and on paper', async () => {
    await eventually(async () => {
      await portal.page.reload();
      await portal.page.getByText('settled').first().waitFor();
      expect(await shown()).toMatch(/R ?1.010[,.]75 settled/);
    });
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('statements');
    await portal.page.emulateMedia({ media: 'print' });
    expect(await portal.page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
    expect(await portal.page.getByRole('row', { name: /Total/ }).isVisible()).toBe(true);
    await portal.page.emulateMedia({ media: 'screen' });
    await portal.page.setViewportSize({ width: 390, height: 844 });
    expect(await portal.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(portal.complaints).toEqual([]);
  });

  const downloaded = async (button: string, ending: string) => {
    const [download] = await Promise.all([
      portal.page.waitForEvent('download'),
      portal.page.getByRole('link', { name: button }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`statement-${month()}.${ending}`);
    return readFileSync(await download.path());
  };

  it('are downloaded as a file whose lines add up to the totals of the page', async () => {
    const text = (await downloaded('Download CSV', 'csv')).toString();
    const [header, ...lines] = text
      .replace(/^\uFEFF/, '')
      .trimEnd()
      .split('\r\n');
    expect(text.startsWith('\uFEFFday')).toBe(true);
    const separator = header!.charAt('day'.length);
    const columns = header!.split(separator);
    const sumOf = (column: string) =>
      lines
        .map(line => line.split(separator)[columns.indexOf(column)]!)
        .reduce((sum, cell) => sum + Math.round(Number(cell.replace(',', '.')) * 100), 0);
    expect([sumOf('settledAmount'), sumOf('paidAmount'), sumOf('paid')]).toEqual([101_075, 101_075, 300]);
    const own = columns.indexOf('merchantId');
    expect(lines.every(line => line.split(separator)[own]!.endsWith(String(shop.merchant.merchantId)))).toBe(true);
  });

  it('are downloaded for Excel, with amounts that are numbers', async () => {
    const sheet = strFromU8(unzipSync(await downloaded('Download Excel (XLSX)', 'xlsx'))['xl/worksheets/sheet1.xml']!);
    const [header, ...lines] = [...sheet.matchAll(/<row .*?<\/row>/gs)].map(([row]) => row);
    const column = /<c r="([A-Z])1"[^>]*><is><t[^>]*>settledAmount</.exec(header!)![1]!;
    const amounts = lines.map(line => Number(new RegExp(`<c r="${column}\\d+" s="\\d+"><v>([\\d.]+)</v>`).exec(line)![1]));
    expect(amounts.reduce((sum, amount) => sum + Math.round(amount * 100), 0)).toBe(101_075);
  });

  it('have one line for each merchant of a PSP, and ask people of the platform for a merchant', async () => {
    const path = `statements?period=${month()}&timeZone=UTC`;
    const asked = async (of: Parameters<typeof makePerson>[1]) =>
      (await PortalClient.signedIn(platform, await makePerson(platform, of))).send({ path });
    const { lines } = JSON.parse((await asked({ tenantType: 'PSP', tenantId: '1' })).text) as {
      lines: { merchantId: number; currencyCode: string; settled: object }[];
    };
    const own = lines.filter(({ merchantId }) => merchantId === shop.merchant.merchantId);
    expect(own).toMatchObject([{ currencyCode: 'ZAR', settled: { count: 3, amount: '1010.75' } }]);
    const refused = await asked({ tenantType: 'OPERATOR', tenantId: '', role: 'ON_CALL' });
    expect([refused.status, refused.text.includes('merchantId')]).toEqual([400, true]);
  });

  /** So that the payments are of the last day that is mailed. */
  const aDayPasses = async () => {
    const file = join(process.env['PAYCODE_E2E_HOME']!, 'secrets/database-url-portal');
    const database = new Client({ connectionString: readFileSync(file, 'utf8').trim() });
    await database.connect();
    const own = [shop.merchant.merchantId];
    await database.query(`update payment set completed_at = completed_at - interval '30 hours' where merchant_id = $1`, own);
    const before = `to_char((now() - interval '54 hours') at time zone 'UTC', 'YYYY-MM-DD')`;
    await database.query(
      `update statement_choice set last_period = ${before} where person_id in (select person_id from person where email = $1)`,
      [viewer.email],
    );
    await database.end();
  };

  it('come by e-mail when the day is over, with the sums of the page that their link opens, until their other link ends them', async () => {
    const outbox = new OutboxFolder(process.env['PAYCODE_E2E_HOME']!);
    await portal.goto('statements?timeZone=UTC');
    const choice = portal.page.getByLabel('Statement by e-mail');
    await choice.selectOption('Each day');
    await portal.shows(`to ${viewer.email}, six hours after the end of each day of UTC`);
    await portal.screenshots('statement-mails');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.page.reload();
    await eventually(async () => expect(await choice.inputValue()).toBe('DAY'));
    await aDayPasses();
    const mails = () => outbox.find('email', viewer.email, 'Settled: ZAR\u00a01,010.75 (3)');
    await eventually(() => expect(mails()).toHaveLength(1));
    const link = (form: RegExp) => form.exec(mails()[0]!)![0];
    await portal.page.goto(link(/https:\S+\/console\/statements\?period=[\d-]{10}&timeZone=UTC/));
    await portal.page.getByRole('row', { name: /Total/ }).waitFor();
    expect(await shown()).toMatch(/R ?1.010[,.]75 settled/);
    await portal.page.goto(link(/https:\S+\/console\/alerts\/stop#[\w-]{43}/));
    await portal.page.getByRole('button', { name: 'Stop these e-mails' }).click();
    await portal.page.getByRole('heading', { name: 'These e-mails are off' }).waitFor();
    await portal.go('Statements');
    await eventually(async () => expect(await choice.inputValue()).toBe('NEVER'));
    expect([mails().length, portal.complaints]).toEqual([1, []]);
  });
});
