import { readFileSync } from 'node:fs';
import { eventually } from '@paycode/service-runtime/testing';
import { strFromU8, unzipSync } from 'fflate';
import { sharedPlatform, shopOfJourney } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, PortalClient } from './testing/portal-client';

const amounts = ['10.50', '0.25', '1000.00'];
const month = () => new Date().toISOString().slice(0, 7);

/** An accountant takes the month into a spreadsheet. */
describeInBrowser('statements', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  const shop = shopOfJourney(platform);

  beforeAll(async () => {
    const viewer = await makePerson(platform, { tenantId: String(shop.merchant.merchantId), role: 'VIEWER' });
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
});
