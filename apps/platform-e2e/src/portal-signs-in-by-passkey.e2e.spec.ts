import type { CDPSession } from 'playwright-core';
import { makeMerchant, sharedPlatform } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, PortalClient, type PortalPerson } from './testing/portal-client';

/** A merchant's owner whose computer knows its finger: Chromium's virtual authenticator. */
describeInBrowser('passkeys in the portal', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  let owner: PortalPerson;
  let device: CDPSession;
  let authenticatorId: string;

  beforeAll(async () => {
    const merchant = await makeMerchant(platform);
    owner = await makePerson(platform, { tenantId: String(merchant.merchantId) });
    device = await portal.context.newCDPSession(portal.page);
    await device.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const;
    ({ authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', { options }));
  });

  const section = () => portal.page.locator('section[aria-labelledby=passkeys]');
  const shows = portal.shows.bind(portal);
  /** Loading another page at once could cut off the request that ends the session. */
  const signOut = async () => {
    await portal.page.getByRole('button', { name: 'Sign out' }).click();
    await portal.page.getByRole('heading', { name: 'Sign in to Paycode' }).waitFor();
  };
  const isSeen = (isUserVerified: boolean) => device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });

  it('is added by its person with the own password, under a name, with recovery codes (T-54)', async () => {
    await portal.signIn(owner);
    await portal.page.getByRole('link', { name: 'Security' }).click();
    await shows('You have none yet');
    await section().getByLabel('Name of the new passkey').fill('This laptop');
    await section().getByLabel('Your password for the portal').fill('not my password');
    await section().getByRole('button', { name: 'Add a passkey' }).click();
    await shows('Your current password is wrong');
    await section().getByLabel('Your password for the portal').fill(owner.password);
    await section().getByRole('button', { name: 'Add a passkey' }).click();
    await shows('Keep these recovery codes', 'This laptop', 'not used yet');
    expect(await section().locator('.codes li').count()).toBe(10);
    expect(await portal.accessibilityFaults()).toEqual([]);
    await section().getByRole('button', { name: 'I have kept them' }).click();
    await portal.screenshots('security-passkeys');
    await section().getByLabel('Name of the new passkey').fill('The same laptop');
    await section().getByLabel('Your password for the portal').fill(owner.password);
    await section().getByRole('button', { name: 'Add a passkey' }).click();
    await shows('This device has a passkey of yours already');
  });

  it('signs in without a password, and not when the device has not seen its person (T-54)', async () => {
    await signOut();
    await portal.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await portal.screenshots('sign-in');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await isSeen(false);
    await portal.page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await shows('No passkey answered');
    await isSeen(true);
    await portal.page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await portal.page.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  it('is asked for after the password, which alone reads nothing (T-54)', async () => {
    await signOut();
    await portal.signIn(owner);
    await portal.page.getByLabel('Recovery code').waitFor();
    await portal.screenshots('sign-in-second-step');
    expect(await portal.accessibilityFaults()).toEqual([]);
    const thief = new PortalClient(platform);
    const { email, password } = owner;
    const body = JSON.parse((await thief.send({ method: 'POST', path: 'session', body: { email, password } })).text) as object;
    expect(body).toMatchObject({ stage: 'CODE_DUE' });
    for (const path of ['payments', 'passkeys', 'people']) expect((await thief.send({ path })).status).toBe(401);
    const add = { method: 'POST', path: 'passkeys/options', body: { current: password } };
    expect((await thief.send(add)).status).toBe(401);
    await portal.page.getByRole('button', { name: 'Continue with your passkey' }).click();
    await portal.page.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  it('stands in for the password when its person removes it, and then signs nobody in (T-52, T-54)', async () => {
    await portal.page.getByRole('link', { name: 'Security' }).click();
    await section().getByRole('button', { name: 'Remove This laptop' }).click();
    const dialog = portal.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Use your passkey instead' }).waitFor();
    await portal.screenshots('own-password-or-passkey');
    await dialog.getByRole('button', { name: 'Use your passkey instead' }).click();
    await dialog.getByText('You have proved who you are').waitFor();
    await portal.screenshots('own-proof');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await dialog.getByRole('button', { name: 'Remove passkey' }).click();
    await shows('You have none yet');
    await signOut();
    await portal.page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await shows('This passkey is not known here');
    expect(portal.complaints).toEqual([]);
  });
});
