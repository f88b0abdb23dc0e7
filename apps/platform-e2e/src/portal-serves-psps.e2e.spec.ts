import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { accepted } from '@paycode/platform-client';
import { eventually } from '@paycode/service-runtime/testing';
import { payNewCode, sharedPlatform, shopOfJourney } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, type PortalPerson } from './testing/portal-client';

/** Somebody of a PSP looks after many merchants. */
describeInBrowser('people of a PSP', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  const shop = shopOfJourney(platform);
  const pspId = randomInt(1_000_000, 2 ** 40);
  const [failing, fresh, own] = ['Harbour Books', 'Corner Coffee', 'Another Shop'].map(name => `${name} ${pspId}`);
  const freshId = pspId + 1;
  let psp: PortalPerson;

  const save = async (merchantId: number, merchantName: string | undefined, of = pspId) => {
    const record = { merchantName, pspId: of, acquirer: 'Demo Bank', status: 'ACTIVE' };
    const put = { method: 'PUT', path: `/internal/merchants/${merchantId}`, body: record };
    accepted('the merchant', await platform.operator('notification-config', put));
  };

  beforeAll(async () => {
    await save(shop.merchant.merchantId, failing);
    await save(freshId, fresh);
    await save(pspId + 2, own, pspId + 1);
    shop.receiver.answer = () => 500;
    await payNewCode(shop.merchant, '77.50');
    psp = await makePerson(platform, { tenantType: 'PSP', tenantId: String(pspId) });
    await portal.signIn(psp);
    await portal.page.getByRole('heading', { name: 'Merchants that need you' }).waitFor();
  });

  it('see on Home which merchant fails, what helps, and the money that was given back (T-24)', async () => {
    const line = portal.page.getByRole('row', { name: new RegExp(failing!) });
    await eventually(async () => {
      await portal.page.reload();
      await line.waitFor();
      expect((await line.textContent())!.replaceAll(/\s/g, ' ')).toMatch(/Answers other than HTTP 200.*77[,.]50.*1 payment.*0 %/);
    });
    expect(await portal.page.textContent('main')).toContain('Today, 2 merchants');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('psp-home');
    await line.getByRole('link', { name: `Payments of ${failing}` }).click();
    await portal.page.getByRole('row', { name: new RegExp(`${failing}.*Reversed`) }).waitFor();
  });

  it('choose a merchant by the keyboard, by how its name begins, and find no merchant of another PSP (T-24)', async () => {
    const choice = portal.page.getByRole('combobox', { name: 'Merchant', exact: true });
    await choice.fill('another');
    await portal.page.getByText('No merchant has this id, or a name that begins so.').waitFor();
    await choice.fill('CORNER');
    await portal.page.getByRole('option', { name: new RegExp(fresh!) }).waitFor();
    expect(await portal.accessibilityFaults()).toEqual([]);
    await choice.press('Enter');
    await portal.page.waitForURL(new RegExp(`merchantId=${freshId}`));
    await eventually(async () => expect(await choice.inputValue()).toBe(`${fresh} ${freshId}`));
    await choice.press('ArrowDown');
    await portal.page.getByRole('option', { name: 'All merchants' }).waitFor();
    await choice.press('Escape');
    expect(await choice.getAttribute('aria-expanded')).toBe('false');
  });

  it.each([390, 1_280])(
    'keep filters and columns as a view, by keys alone: saved, opened, renamed, replaced and deleted, %d px wide',
    async width => {
      await portal.page.setViewportSize({ width, height: 900 });
      await portal.goto('payments?outcome=REVERSED&range=today');
      const { keyboard } = portal.page;
      const tabs = portal.page.getByRole('navigation', { name: 'Saved views' });
      const reads = (text: string) => eventually(async () => expect(await tabs.textContent()).toBe(text));
      const press = async (name: string, role: 'button' | 'link' = 'button') => {
        await portal.page.getByRole(role, { name, exact: true }).focus();
        await keyboard.press('Enter');
      };
      const turn = async (...keys: string[]) => {
        await press('Columns');
        for (const key of keys) await keyboard.press(key);
      };
      const named = async (name: string) => {
        await dialog().waitFor();
        await keyboard.press('Control+A');
        await keyboard.type(name);
        await keyboard.press('Enter');
        await dialog().waitFor({ state: 'detached' });
      };
      const dialog = () => portal.page.getByRole('dialog');
      const asked = () => Object.fromEntries(new URL(portal.page.url()).searchParams);
      await portal.page.locator('tbody .of').waitFor();
      await turn('Tab', 'Space');
      await portal.page.locator('tbody .of').waitFor({ state: 'detached' });
      expect(await portal.accessibilityFaults()).toEqual([]);
      await keyboard.press('Escape');
      expect(await portal.page.getByRole('checkbox').count()).toBe(0);
      await press('Save view');
      await named(' Late ');
      await reads('AllLate ');
      await press('All', 'link');
      await portal.page.locator('tbody .of').waitFor();
      expect(asked()).toEqual({});
      await press('Late', 'link');
      await portal.page.locator('tbody .of').waitFor({ state: 'detached' });
      expect(asked()).toEqual({ outcome: 'REVERSED', range: 'today', hidden: 'merchant' });
      await press('Rename');
      await named('Late today');
      await reads('AllLate today ');
      await turn('Tab', 'Tab', 'Space');
      await reads('AllLate today changed');
      if (width > 390) await portal.screenshots('payments-view');
      await keyboard.press('Escape');
      expect(await portal.accessibilityFaults()).toEqual([]);
      await press('Replace with these filters');
      await reads('AllLate today ');
      await portal.page.reload();
      await reads('AllLate today ');
      expect(asked()).toMatchObject({ hidden: 'merchant,reference' });
      await press('Delete');
      await dialog().getByText('Late today goes for you alone').waitFor();
      expect(await portal.accessibilityFaults()).toEqual([]);
      for (const key of ['Tab', 'Enter']) await keyboard.press(key);
      await tabs.waitFor({ state: 'detached' });
      expect(asked()).toMatchObject({ outcome: 'REVERSED' });
    },
  );

  it('set up merchants by a file: each line says what became of it, the keys are in the results, and sending it again changes nothing (T-52)', async () => {
    await portal.go('Merchants');
    await portal.page.getByRole('link', { name: 'Set up by a file' }).click();
    const lines = [
      `${freshId},${fresh},${shop.receiver.url},till@shop.example`,
      `${shop.merchant.merchantId},${failing},${shop.receiver.url}/other,`,
      `${pspId + 2},${own},${shop.receiver.url},`,
      '07,Mistake,https://shop.example/,',
    ];
    const buffer = Buffer.from(`merchantId,name,url,recipients\n${lines.join('\n')}\n`);
    await portal.page.getByLabel('CSV file').setInputFiles({ name: 'merchants.csv', mimeType: 'text/csv', buffer });
    const row = (name: string | undefined) => portal.page.getByRole('row', { name: new RegExp(name!) });
    await row('Mistake').getByText('merchantId must have digits only').waitFor();
    const sendAll = async (button: string) => {
      await portal.page.getByRole('button', { name: button }).click();
      await portal.page.getByLabel('Your password for the portal').fill(psp.password);
      await portal.page.getByRole('button', { name: 'Set up', exact: true }).click();
      await portal.page.getByRole('button', { name: 'Download results with keys' }).waitFor();
    };
    await sendAll('Set up 3 merchants');
    await row(fresh).getByText('URL set, 1 recipient added').waitFor();
    await row(failing).getByText('Nothing was changed.').waitFor();
    await row(own).getByText('not yours').waitFor();
    expect(await portal.accessibilityFaults()).toEqual([]);
    const [download] = await Promise.all([
      portal.page.waitForEvent('download'),
      portal.page.getByRole('button', { name: 'Download results with keys' }).click(),
    ]);
    const results = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(results.find(line => line.includes(`"${freshId}"`))).toMatch(/"DONE","URL set, 1 recipient added","[0-9a-f]{32}"$/);
    expect(results.filter(line => /"(FAILED|NOT_SENT)".*,""$/.test(line))).toHaveLength(3);
    await portal.page.getByLabel('CSV file').setInputFiles([]);
    await portal.page.getByLabel('CSV file').setInputFiles({ name: 'merchants.csv', mimeType: 'text/csv', buffer });
    await sendAll('Set up 3 merchants');
    await row(fresh).getByText('Nothing to change').waitFor();
    await portal.screenshots('psp-import');
  });

  it('see of one merchant its server, its recipients, its people and its last payments (T-24)', async () => {
    await portal.goto(`merchants/${shop.merchant.merchantId}`);
    await portal.page.getByRole('heading', { name: failing! }).waitFor();
    const main = portal.page.locator('main');
    for (const text of [shop.receiver.url, 'Other than HTTP 200', 'Nobody of this merchant has an account'])
      await main.getByText(text).first().waitFor();
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('psp-merchant');
    expect(portal.complaints).toEqual([]);
  });
});
