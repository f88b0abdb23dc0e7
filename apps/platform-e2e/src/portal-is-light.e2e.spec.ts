import type { CDPSession } from 'playwright-core';
import { makeMerchantWithReceiver, sharedPlatform } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson } from './testing/portal-client';

/** Of script, packed, until the first page can be used; 200 kB are promised. */
const scriptBytesMax = 150_000;
/** From a small phone to a wall. */
const widths = [360, 390, 768, 1_280, 1_920, 3_840];
const pages = ['', 'payments', 'notifications', 'api', 'sandbox', 'security'];

describeInBrowser('the weight and width of the portal', () => {
  const platform = sharedPlatform();
  let portal: PortalBrowser;
  let wire: CDPSession;
  beforeAll(async () => {
    portal = await PortalBrowser.open(platform.standalone.baseUrl);
    wire = await portal.context.newCDPSession(portal.page);
  });
  afterAll(() => portal?.close());

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

  it('no page has to be moved sideways, from 360 px to 4K', async () => {
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
});
