import { randomUUID } from 'node:crypto';
import type { MerchantReceiver } from '@paycode/platform-client';
import { eventually } from '@paycode/service-runtime/testing';
import { OutboxFolder } from './testing/outbox-folder';
import { makeMerchantWithReceiver, sharedPlatform } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, PortalClient, type PortalPerson } from './testing/portal-client';

/** An owner at work: people come and go, the network and the session end, and nothing happens that nobody asked for. */
describeInBrowser('the portal, over a working day', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  const outbox = new OutboxFolder(process.env['PAYCODE_E2E_HOME']!);
  let owner: PortalPerson;
  let leaver: PortalPerson;
  let receiver: MerchantReceiver;

  beforeAll(async () => {
    const made = await makeMerchantWithReceiver(platform);
    receiver = made.receiver;
    const tenantId = String(made.merchant.merchantId);
    owner = await makePerson(platform, { tenantId });
    leaver = await makePerson(platform, { tenantId, name: 'Lesedi Leaver', role: 'DEVELOPER' });
    await portal.signIn(owner);
    await portal.page.getByRole('button', { name: 'Sign out' }).waitFor();
  });
  afterAll(() => receiver?.stop());

  const go = portal.go.bind(portal);
  const dialog = () => portal.page.getByRole('dialog');
  const shows = (...texts: string[]) =>
    eventually(async () => {
      const shown = await portal.page.textContent('body');
      for (const text of texts) expect(shown).toContain(text);
    });
  const linkIn = (mail: string) => /https:\/\/\S+?\/console\/accept#[\w-]{43}/.exec(mail)![0];

  it('regression: a double click on Invite sends one mail, and the form is empty again', async () => {
    await go('People');
    const email = `${randomUUID()}@journey.example`;
    const form = portal.page.locator('form', { has: portal.page.getByRole('heading', { name: 'Invite somebody' }) });
    await form.getByLabel('Name').pressSequentially('Nandi New');
    await form.getByLabel('E-mail address').pressSequentially(email);
    await form.getByRole('button', { name: 'Invite' }).dblclick();
    await shows('gets a link by e-mail');
    expect(await form.getByLabel('E-mail address').inputValue()).toBe('');
    await eventually(() => expect(outbox.find('email', email)).toHaveLength(1));
    await portal.page.getByRole('button', { name: 'Send again' }).click();
    await eventually(() => expect(outbox.find('email', email)).toHaveLength(2));
    await portal.page.getByRole('button', { name: 'Withdraw the invitation of Nandi New' }).click();
    await dialog().getByLabel('Your password for the portal').fill(owner.password);
    await dialog().getByRole('button', { name: 'Withdraw' }).click();
    await portal.page.getByRole('button', { name: 'Withdraw the invitation of Nandi New' }).waitFor({ state: 'detached' });
  });

  it('regression: somebody who leaves is removed, and is out at once; a wrong password keeps the question open (T-24)', async () => {
    const elsewhere = await PortalClient.signedIn(platform, leaver);
    await portal.page.getByRole('button', { name: 'Change role of Lesedi Leaver' }).click();
    await dialog().getByLabel('Role').selectOption('VIEWER');
    await dialog().getByLabel('Your password for the portal').pressSequentially(owner.password);
    await portal.page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await portal.screenshots('people');
    const remove = portal.page.getByRole('button', { name: 'Remove Lesedi Leaver' });
    await remove.click();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    await remove.and(portal.page.locator(':focus')).waitFor();
    await remove.click();
    await dialog().getByLabel('Your password for the portal').fill('not my password');
    await portal.page.keyboard.press('Enter');
    await dialog().getByText('Your current password is wrong').waitFor();
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('people-remove');
    await dialog().getByLabel('Your password for the portal').fill(owner.password);
    await portal.page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    expect((await elsewhere.send({ path: 'payments' })).status).toBe(401);
    await shows('Removed', 'Lesedi Leaver, viewer', 'Lesedi Leaver: developer to viewer');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('people-record');
  });

  it('regression: a change that is pressed offline fails at once, and is not made when the network is back', async () => {
    await go('Your server');
    const keyId = () => portal.page.locator('dt:text-is("Key") + dd code').textContent();
    const before = await keyId();
    await portal.context.setOffline(true);
    await shows('You are offline');
    await portal.page.getByRole('button', { name: 'Renew key' }).click();
    await dialog().getByLabel('Your password for the portal').fill(owner.password);
    await dialog().getByRole('button', { name: 'Renew key' }).click();
    await dialog().getByText('The portal cannot be reached').waitFor();
    await portal.screenshots('offline');
    const sent: string[] = [];
    portal.page.on('request', request => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await portal.context.setOffline(false);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await portal.page.getByText('You are offline').waitFor({ state: 'detached' });
    // A later request of the page has been answered, before which a change that waited would have gone out.
    await portal.page.getByRole('button', { name: 'Check' }).click();
    await shows('answered');
    expect(sent.filter(each => each.endsWith('/notifications/key'))).toEqual([]);
    await portal.page.reload();
    expect(await keyId()).toBe(before);
  });

  it('regression: when the session ends, the person signs in over the page, and what was typed is still there', async () => {
    const url = portal.page.getByLabel('Another URL');
    await url.fill('https://shop.example/typed-before-it-ended');
    const elsewhere = await PortalClient.signedIn(platform, owner);
    const sessions = JSON.parse((await elsewhere.send({ path: 'sessions' })).text) as { sessionId: string; isThisOne: boolean }[];
    for (const { sessionId, isThisOne } of sessions)
      if (!isThisOne) await elsewhere.send({ method: 'DELETE', path: `sessions/${sessionId}` });
    await portal.page.getByRole('button', { name: 'Check' }).click();
    await dialog().getByText('Your session has ended').waitFor();
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('session-over');
    await dialog().getByLabel('E-mail address').fill(owner.email);
    await dialog().getByLabel('Password').fill(owner.password);
    await dialog().getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await url.inputValue()).toBe('https://shop.example/typed-before-it-ended');
    await portal.page.getByRole('button', { name: 'Check' }).click();
    await shows('answered');
  });

  it('two tabs of one person: a new role and a sign-out reach both, and the other tab goes on after a sign-in (T-24)', async () => {
    const developer = await makePerson(platform, { tenantId: owner.tenantId, name: 'Temba Twotabs', role: 'DEVELOPER' });
    const browser = await PortalBrowser.open(platform.standalone.baseUrl);
    await browser.signIn(developer);
    await browser.page.getByRole('heading', { name: 'Home' }).waitFor();
    const second = await browser.context.newPage();
    for (const tab of [browser.page, second]) {
      await tab.goto(`${platform.standalone.baseUrl}/console/notifications`);
      await tab.getByRole('button', { name: 'Renew key' }).waitFor();
    }
    const client = await PortalClient.signedIn(platform, owner);
    const people = JSON.parse((await client.send({ path: 'people' })).text) as { personId: string; name: string }[];
    const { personId } = people.find(({ name }) => name === 'Temba Twotabs')!;
    await client.send({ method: 'POST', path: `people/${personId}/role`, body: { role: 'VIEWER', current: owner.password } });
    await browser.page.reload();
    const readOnly = 'Your role may look and check, and not change anything.';
    await browser.page.getByText(readOnly).waitFor();
    // The second tab learns it by the refusal of what it may do no more.
    await second.getByLabel('E-mail address').fill('till@shop.example');
    await second.getByRole('button', { name: 'Add' }).click();
    await second.getByText(readOnly).waitFor();
    await browser.page.getByRole('button', { name: 'Sign out' }).click();
    await browser.page.getByRole('heading', { name: 'Sign in to Paycode' }).waitFor();
    await second.getByRole('button', { name: 'Check' }).click();
    const over = second.getByRole('dialog', { name: 'Your session has ended' });
    await over.getByLabel('E-mail address').fill(developer.email);
    await over.getByLabel('Password').fill(developer.password);
    await over.getByRole('button', { name: 'Sign in', exact: true }).click();
    await over.waitFor({ state: 'detached' });
    await browser.goto('notifications');
    await browser.page.getByText(readOnly).waitFor();
    expect(browser.complaints).toEqual([]);
    await browser.close();
  });

  it('a forgotten password has a way back by mail (T-04)', async () => {
    await portal.page.getByRole('button', { name: 'Sign out' }).click();
    await portal.page.getByRole('link', { name: 'Forgotten your password?' }).click();
    await portal.page.getByRole('heading', { name: 'Forgotten your password?' }).waitFor();
    await portal.page.getByLabel('E-mail address').pressSequentially(owner.email);
    await portal.screenshots('forgotten');
    await portal.page.getByRole('button', { name: 'Send the link' }).click();
    await shows('a link is on its way');
    expect(await portal.accessibilityFaults()).toEqual([]);
    const mails = await eventually(() => {
      const found = outbox.find('email', owner.email, 'another password');
      expect(found).toHaveLength(1);
      return found;
    });
    await portal.page.goto(linkIn(mails[0]!));
    const next = { ...owner, password: 'an entirely new sentence' };
    await portal.page.getByLabel('Password').fill(next.password);
    await portal.page.getByRole('button', { name: 'Keep this password' }).click();
    await shows('Your password is set');
    await portal.signIn(next);
    await portal.page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(portal.complaints.filter(each => !each.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });
});
