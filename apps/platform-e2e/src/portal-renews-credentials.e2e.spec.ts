import { createHash, generateKeyPairSync } from 'node:crypto';
import type { Merchant } from '@paycode/platform-client';
import { eventually } from '@paycode/service-runtime/testing';
import { makeMerchant, sharedPlatform } from './testing/platform';
import { browserPath, PortalBrowser } from './testing/portal-browser';
import { makePerson, type PortalPerson } from './testing/portal-client';

const notRun = browserPath ? '' : ' (not run: no Chromium; apt-get install chromium, or set CHROMIUM_PATH)';

/** A merchant's owner on the page of the API. */
(browserPath ? describe : describe.skip)(`credentials in the portal${notRun}`, () => {
  const platform = sharedPlatform();
  let merchant: Merchant;
  let owner: PortalPerson;
  let portal: PortalBrowser;

  beforeAll(async () => {
    merchant = await makeMerchant(platform);
    owner = await makePerson(platform, { tenantId: String(merchant.merchantId) });
    portal = await PortalBrowser.open(platform.standalone.baseUrl);
    await portal.signIn(owner);
    await portal.page.getByRole('link', { name: 'API', exact: true }).click();
  });
  afterAll(() => portal?.close());

  const body = () => portal.page.textContent('main');
  const shows = (...texts: string[]) =>
    eventually(async () => {
      const shown = await body();
      for (const text of texts) expect(shown).toContain(text);
    });
  const makeCode = async (password: string) => {
    const details = { merchantReference: 'credentials', amount: 10, currencyCode: 'ZAR' };
    const as = { ...merchant.credentials, password };
    return (await platform.gateway({ method: 'POST', path: '/pluto/code/create', body: details, as })).status;
  };

  it('a new password is shown once, works at once, and the old one fails at once; it takes the own password (R-2.1-5, T-52)', async () => {
    const { username, password: old } = merchant.credentials;
    await shows(username, 'user name and password (Basic)', 'No key is registered', `${username}:$API_PASSWORD`);
    expect(await makeCode(old)).toBe(200);
    await portal.page.getByRole('button', { name: 'New API password' }).click();
    expect(await portal.page.textContent('dialog')).toContain('The old password fails at once');
    const own = portal.page.getByRole('dialog').getByLabel('Your password for the portal');
    await own.fill('not my password');
    await portal.page.getByRole('button', { name: 'Make it' }).click();
    await shows('Your current password is wrong');
    expect(await makeCode(old)).toBe(200);
    await portal.page.getByRole('button', { name: 'New API password' }).click();
    await own.fill(owner.password);
    await portal.screenshots('api-question');
    await portal.page.getByRole('button', { name: 'Make it' }).click();
    await shows('It is shown now and not again');
    const password = (await portal.page.textContent('code[data-secret]'))!;
    expect([await makeCode(old), await makeCode(password)]).toEqual([401, 200]);
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.page.reload();
    await shows('nobody can show it again');
    expect(await body()).not.toContain(password);
    await portal.screenshots('api');
  });

  it('a public key is taken as PEM and shown by its fingerprint, and one that is too short is refused (R-5.3-1)', async () => {
    const keyOf = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).publicKey;
    const register = async (pem: string) => {
      await portal.page.getByLabel(/public key$/i).fill(pem);
      await portal.page.getByLabel('Your password for the portal').fill(owner.password);
      await portal.page.getByRole('button', { name: 'Register key' }).click();
    };
    await register(String(keyOf(2_048).export({ format: 'pem', type: 'spki' })));
    await shows('4096');
    const key = keyOf(4_096);
    await register(String(key.export({ format: 'pem', type: 'spki' })));
    const der = key.export({ format: 'der', type: 'spki' });
    await shows('The key is registered', createHash('sha256').update(der).digest('hex'));
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('api-key');
    expect(portal.complaints).toEqual([]);
  });
});
