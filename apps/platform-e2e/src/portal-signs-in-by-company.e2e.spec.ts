import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { makeMerchant, sharedPlatform } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, type PortalPerson } from './testing/portal-client';

/** A merchant's people whose company has a provider of its own: `oidc-provider`, certified by the OpenID Foundation. */
describeInBrowser("sign-in by a company's provider", () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  let company: string;
  let owner: PortalPerson;
  let provider: ChildProcess;
  let issuer: string;

  beforeAll(async () => {
    const { merchantId } = await makeMerchant(platform);
    company = `merchant-${merchantId}`;
    const args = [join(__dirname, 'testing/identity-provider.mjs'), `${platform.standalone.baseUrl}/console/sso/${company}`];
    provider = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], env: { PATH: process.env['PATH'] } });
    [issuer] = (await once(createInterface(provider.stdout!), 'line')) as [string];
    const tenantId = String(merchantId);
    owner = await makePerson(platform, { tenantId });
    const client = { issuer, clientId: 'portal', clientSecret: 'secret-of-the-client' };
    const body = { tenantType: 'MERCHANT', tenantId, ...client };
    const set = await platform.operator('portal', { method: 'PUT', path: `/internal/identity-providers/${company}`, body });
    expect(set.status).toBe(204);
    // The sign-in page of the provider wants a font from elsewhere.
    const isElsewhere = ({ origin }: URL) => origin !== issuer && origin !== platform.standalone.baseUrl;
    await portal.context.route(isElsewhere, route => route.abort());
  });
  afterAll(async () => {
    if (provider?.exitCode === null && provider.kill()) await once(provider, 'exit');
  });

  const shows = portal.shows.bind(portal);
  const goesTo = async (name: string) => {
    await portal.goto('sign-in');
    await portal.page.getByText('Sign in with your company').click();
    await portal.page.getByLabel('Name of your company here').fill(name);
    await portal.page.getByRole('button', { name: 'Go to your company' }).click();
  };
  const signInThere = async (login: string) => {
    await portal.context.clearCookies();
    await goesTo(company);
    await portal.page.waitForURL(`${issuer}/**`);
    await portal.page.getByPlaceholder('Enter any login').fill(login);
    await portal.page.getByPlaceholder('and password').fill('any');
    await portal.page.getByRole('button', { name: 'Sign-in' }).click();
    await portal.page.getByRole('button', { name: 'Continue' }).click();
    await portal.page.waitForURL(`${platform.standalone.baseUrl}/**`);
  };

  it('says so when there is no such company', async () => {
    await goesTo('nobody-here');
    await shows('No company of this name signs in here');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('sign-in-company');
    expect(portal.complaints).toEqual([]);
  });

  it('lets in an invited person, without a password (T-55)', async () => {
    await signInThere(owner.email);
    await portal.page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(portal.page.url()).not.toMatch(/code=|state=/);
    await portal.page.getByRole('link', { name: 'People', exact: true }).click();
    await shows(owner.email);
  });

  it.each([
    ['nobody@acme.example', 'nobody has invited you here'],
    ['unverified@acme.example', 'has not verified your e-mail address'],
  ])('does not let in %s (T-55)', async (login, words) => {
    await signInThere(login);
    await shows(words);
    await portal.screenshots('sign-in-company-refused');
    expect(await portal.accessibilityFaults()).toEqual([]);
  });

  it('does not let in a person of another merchant (T-24)', async () => {
    const other = await makePerson(platform, { tenantId: '1001' });
    await signInThere(other.email);
    await shows('nobody has invited you here');
  });
});
