import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Merchant } from '@paycode/platform-client';
import { eventually } from '@paycode/service-runtime/testing';
import { makeMerchant, sharedPlatform } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, PortalClient, type PortalPerson } from './testing/portal-client';

/** A merchant's owner on the page of the API. */
describeInBrowser('credentials in the portal', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  let merchant: Merchant;
  let owner: PortalPerson;
  let apiPassword: string;
  let privateKey: KeyObject;

  beforeAll(async () => {
    merchant = await makeMerchant(platform);
    owner = await makePerson(platform, { tenantId: String(merchant.merchantId) });
    await portal.signIn(owner);
    await portal.go('API');
  });

  const body = () => portal.page.textContent('main');
  const shows = portal.shows.bind(portal);
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
    await own.fill(owner.password);
    await portal.screenshots('api-question');
    await portal.page.getByRole('button', { name: 'Make it' }).click();
    await shows('It is shown now and not again');
    const password = (await portal.page.textContent('code[data-secret]'))!;
    apiPassword = password;
    expect([await makeCode(old), await makeCode(password)]).toEqual([401, 200]);
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.page.reload();
    await shows('nobody can show it again');
    expect(await body()).not.toContain(password);
    await portal.screenshots('api');
  });

  it('a public key is taken as PEM and shown by its fingerprint, and one that is too short is refused (R-5.3-1)', async () => {
    const pairOf = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
    const register = async (pem: string) => {
      await portal.page.getByLabel(/public key$/i).fill(pem);
      await portal.page.locator('section[aria-labelledby=key]').getByLabel('Your password for the portal').fill(owner.password);
      await portal.page.getByRole('button', { name: 'Register key' }).click();
    };
    await register(String(pairOf(2_048).publicKey.export({ format: 'pem', type: 'spki' })));
    await shows('4096');
    const pair = pairOf(4_096);
    const key = pair.publicKey;
    await register(String(key.export({ format: 'pem', type: 'spki' })));
    const der = key.export({ format: 'der', type: 'spki' });
    await shows('The key is registered', createHash('sha256').update(der).digest('hex'));
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('api-key');
    privateKey = pair.privateKey;
  });

  it('tries the registered key by a signature, and says when another key signed (R-5.3-1)', async () => {
    const tryWith = async (key: KeyObject) => {
      const command = (await portal.page.getByLabel('Command to sign with').textContent())!;
      const text = /'(paycode-key-test [^']+)'/.exec(command)![1]!;
      expect(text).toContain(merchant.credentials.username);
      await portal.page.getByLabel('Signature').fill(sign('sha256', Buffer.from(text), key).toString('base64'));
      await portal.page.getByRole('button', { name: 'Verify signature' }).click();
    };
    await tryWith(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey);
    await shows('It does not verify');
    await tryWith(privateKey);
    await shows('It verifies: this private key belongs');
  });

  it('binds the account to addresses, which refuses it elsewhere, and opens it again (T-15)', async () => {
    const save = async (addresses: string) => {
      await portal.page.getByLabel('Addresses and ranges, one a line').fill(addresses);
      await portal.page
        .locator('section[aria-labelledby=sources]')
        .getByLabel('Your password for the portal')
        .fill(owner.password);
      await portal.page.getByRole('button', { name: 'Save addresses' }).click();
    };
    await save('198.51.100.0/24\nshop.example');
    await shows('expected an IP address or a CIDR range');
    await save('198.51.100.0/24');
    await shows('may be used from these only: 198.51.100.0/24');
    expect(await makeCode(apiPassword)).not.toBe(200);
    await save('');
    await shows('may be used from everywhere');
    expect(await makeCode(apiPassword)).toBe(200);
  });

  it('switches to Bearer only when the account is named, requires the challenge, and ends one session (R-5.2-4, A-39)', async () => {
    const dialog = portal.page.getByRole('dialog');
    await portal.page.getByRole('button', { name: 'Switch to Bearer' }).click();
    const switchTo = async (typed: string) => {
      await dialog.getByLabel('Name of the account').fill(typed);
      await dialog.getByLabel('Your password for the portal').fill(owner.password);
      await portal.screenshots('api-bearer');
      await portal.page.getByRole('button', { name: 'Switch for good' }).click();
    };
    await switchTo('yes');
    await shows('Type the name of the account to switch it for good');
    expect(await makeCode(apiPassword)).toBe(200);
    await switchTo(merchant.credentials.username);
    await shows('session tokens (Bearer)', 'No program is logged in', 'Log in with the password');
    expect(await makeCode(apiPassword)).toBe(401);
    await portal.page.getByRole('button', { name: 'New API password' }).click();
    await dialog.getByLabel('Your password for the portal').fill(owner.password);
    await portal.page.getByRole('button', { name: 'Make it' }).click();
    await shows('It is shown now and not again');
    const login = { identity: merchant.credentials.username, password: (await portal.page.textContent('code[data-secret]'))! };
    const logIn = () => platform.gateway({ method: 'POST', path: '/authentication/login', body: login });
    expect([(await logIn()).status, (await logIn()).status]).toEqual([200, 200]);
    await portal.page.reload();
    const sessions = portal.page.getByRole('button', { name: /^End session/ });
    await eventually(async () => expect(await sessions.count()).toBe(2));
    await sessions.first().click();
    await eventually(async () => expect(await sessions.count()).toBe(1));
    await portal.page.getByRole('button', { name: 'Require the challenge' }).click();
    await dialog.getByLabel('Your password for the portal').fill(owner.password);
    await dialog.getByRole('button', { name: 'Require the challenge' }).click();
    await shows('Required: a login with the password alone is refused');
    expect((await logIn()).status).toBe(401);
    for (const language of ['curl', 'Node', 'Python']) {
      await portal.page.getByLabel('Language').selectOption(language);
      await shows(merchant.credentials.username, platform.standalone.baseUrl, '/authentication/login');
    }
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('api-bearer-sessions');
    expect(portal.complaints).toEqual([]);
  });

  it('another merchant sees and ends none of these sessions (T-24)', async () => {
    const own = await PortalClient.signedIn(platform, owner);
    const [open] = JSON.parse((await own.send({ path: 'credentials/sessions' })).text) as { sessionId: string }[];
    const other = await makeMerchant(platform);
    const thief = await PortalClient.signedIn(platform, await makePerson(platform, { tenantId: String(other.merchantId) }));
    const end = { method: 'DELETE', path: `credentials/sessions/${open!.sessionId}` };
    expect((await thief.send({ path: 'credentials/sessions' })).text).toBe('[]');
    expect((await thief.send(end)).status).toBe(404);
    const viewer = await makePerson(platform, { tenantId: owner.tenantId, role: 'VIEWER' });
    expect((await (await PortalClient.signedIn(platform, viewer)).send(end)).status).toBe(403);
    expect((await own.send(end)).status).toBe(204);
  });
});
