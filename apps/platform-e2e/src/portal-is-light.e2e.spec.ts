import { eventually } from '@paycode/service-runtime/testing';
import type { CDPSession, Request, Route } from 'playwright-core';
import { makeMerchantWithReceiver, sharedPlatform } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson } from './testing/portal-client';

/** Of script, packed, until the first page can be used; 200 kB are promised. */
const scriptBytesMax = 150_000;
/** From 1,280 px at a zoom of 400 % to a wall. */
const widths = [320, 360, 390, 768, 1_280, 1_920, 3_840];
const pages = ['', 'payments', 'notifications', 'api', 'sandbox', 'people', 'security'];

describeInBrowser('the weight and width of the portal', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  let wire: CDPSession;
  beforeAll(async () => {
    wire = await portal.context.newCDPSession(portal.page);
  });

  it('the first load takes at most 150 kB of script, all of it from the portal', async () => {
    const scripts = new Set<string>();
    let bytes = 0;
    wire.on('Network.responseReceived', ({ requestId, type }) => void (type === 'Script' && scripts.add(requestId)));
    wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) bytes += encodedDataLength;
    });
    await wire.send('Network.enable');
    await portal.goto('sign-in');
    await portal.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await wire.send('Network.disable');
    expect(scripts.size).toBeGreaterThan(0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(scriptBytesMax);
    expect(portal.complaints).toEqual([]);
  });

  it('the first answer names the script of its page, so that it comes beside the shared one, packed by brotli', async () => {
    const asked = (path: string) => portal.context.request.get(`${platform.standalone.baseUrl}/console/${path}`);
    const link = (await asked('payments')).headers()['link'];
    const [, script] =
      /^<\/console\/(assets\/payments-page-[\w-]+\.js)>; rel=modulepreload, .*\/app-.*, <\/console\/api\/session>/.exec(link!)!;
    expect((await asked('payments/17')).headers()['link']).toMatch(/^<\/console\/assets\/payment-page-/);
    expect((await asked(script!)).headers()).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
  });

  it('no page has to be moved sideways, from a zoom of 400 % to 4K', async () => {
    const { merchant, receiver } = await makeMerchantWithReceiver(platform);
    await receiver.stop();
    await portal.signIn(await makePerson(platform, { tenantId: String(merchant.merchantId) }));
    await portal.page.getByRole('heading', { name: 'Home' }).waitFor();
    const tooWide: string[] = [];
    for (const path of pages) {
      await portal.goto(path);
      await portal.page.locator('h1').waitFor();
      for (const width of widths) {
        await portal.page.setViewportSize({ width, height: 900 });
        const isWithin = await portal.page.evaluate('document.documentElement.scrollWidth <= innerWidth');
        if (isWithin !== true) tooWide.push(`${path} at ${width}`);
      }
    }
    expect(tooWide).toEqual([]);
    expect(portal.complaints).toEqual([]);
  });

  it('a page asks for what it shows while its scripts are on their way, and then once', async () => {
    const asked: string[] = [];
    const note = (request: Request) => void asked.push(request.url().replace(/.*\/console\/api/, ''));
    portal.page.on('request', note);
    const scripts = Promise.withResolvers<void>();
    await portal.page.route('**/assets/app-*.js', route => scripts.promise.then(() => route.continue()));
    const opened = portal.goto('payments');
    const data = ['/payments', '/payments/totals', '/payment-views', '/merchants?limit=2'];
    await eventually(() => expect(asked).toEqual(expect.arrayContaining(data)));
    scripts.resolve();
    await opened;
    await portal.page.locator('.payment-list, .notice').first().waitFor();
    const unpolled = asked.filter(each => /views|merchants/.test(each));
    expect(unpolled).toEqual(data.slice(2));
    portal.page.off('request', note);
    await portal.page.unrouteAll({ behavior: 'wait' });
  });

  it('a page whose script went with a release is loaded once more, and then shows', async () => {
    await portal.goto('');
    await portal.page.getByRole('heading', { name: 'Home' }).waitFor();
    let refused = 0;
    const gone = (route: Route) => (refused++ === 0 ? route.fulfill({ status: 404 }) : route.continue());
    await portal.page.route('**/assets/payments-page-*.js', gone);
    await portal.go('Payments');
    await portal.page.getByRole('heading', { name: 'Payments', exact: true }).waitFor();
    await portal.page.unrouteAll({ behavior: 'wait' });
    expect(refused).toBeGreaterThan(1);
    portal.complaints.length = 0;
  });

  it('on paper stands what a page says, without its navigation and buttons', async () => {
    await portal.goto('payments');
    await portal.page.getByRole('heading', { name: 'Payments', exact: true }).waitFor();
    const search = portal.page.locator('button', { hasText: 'Search' });
    const navigation = portal.page.getByRole('navigation', { name: 'Pages' });
    expect([await search.isVisible(), await navigation.isVisible()]).toEqual([true, true]);
    await portal.page.emulateMedia({ media: 'print' });
    expect([await search.isVisible(), await navigation.isVisible()]).toEqual([false, false]);
    expect(await portal.page.locator('h1').isVisible()).toBe(true);
    await portal.page.emulateMedia({ media: 'screen' });
  });

  it('moves nothing for people who asked for less motion, and keeps outcomes apart in colours of the system', async () => {
    const moving = `[...document.querySelectorAll('*')].filter(each => getComputedStyle(each).transitionDuration !== '0s').length`;
    expect(await portal.page.evaluate(moving)).toBe(0);
    await portal.page.emulateMedia({ reducedMotion: 'no-preference', forcedColors: 'active' });
    expect(await portal.page.evaluate(moving)).toBeGreaterThan(0);
    await portal.goto('');
    await portal.page.locator('.dot').first().waitFor();
    const colours = `[...document.querySelectorAll('.dot')].slice(0, 3).map(each => getComputedStyle(each, '::before').backgroundColor)`;
    expect(new Set(await portal.page.evaluate<string[]>(colours)).size).toBe(3);
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'none' });
  });
});
