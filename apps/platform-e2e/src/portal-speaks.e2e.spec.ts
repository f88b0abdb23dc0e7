import { eventually } from '@paycode/service-runtime/testing';
import { sharedPlatform, shopOfJourney } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, type PortalPerson } from './testing/portal-client';

/** A person's language, also one that runs to the left, and time zone. proves: A-96 */
describeInBrowser('the languages of the portal', () => {
  const platform = sharedPlatform();
  const portal = PortalBrowser.ofJourney(platform);
  const shop = shopOfJourney(platform);

  let person: PortalPerson;

  beforeAll(async () => {
    person = await makePerson(platform, { tenantId: String(shop.merchant.merchantId) });
    const { code } = await shop.merchant.createCode({ merchantReference: 'order-77', amount: '1025.50', currencyCode: 'ZAR' });
    await shop.merchant.pay(code);
    await portal.goto('sign-in');
  });

  /** The page loads again in the new language. */
  const choose = async (name: string, value: string) => {
    const loaded = portal.page.waitForEvent('load');
    const choice = portal.page.getByLabel(name, { exact: true });
    await choice.focus();
    await choice.selectOption(value);
    await loaded;
  };
  const heading = (name: string) => portal.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const fits = () => portal.page.evaluate('document.documentElement.scrollWidth <= innerWidth');
  const direction = () => portal.page.evaluate('document.documentElement.lang + " " + document.documentElement.dir');

  it('a person chooses the language before signing in, each named in itself', async () => {
    await choose('The portal speaks', 'es');
    await heading('Iniciar sesión en Paycode');
    await portal.screenshots('sign-in-es');
    await portal.page.getByLabel('Correo electrónico').fill('nobody@journey.example');
    await portal.page.getByLabel('Contraseña').fill('not a password');
    await portal.page.getByRole('button', { name: 'Iniciar sesión', exact: true }).click();
    await portal.page.getByText('La dirección de correo o la contraseña no son correctas.').waitFor();
    await choose('El portal habla', 'ar');
    await heading('تسجيل الدخول إلى Paycode');
    expect(await direction()).toBe('ar rtl');
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.screenshots('sign-in-ar');
    await choose('البوابة تتحدث', 'en');
    await portal.signIn(person);
    await heading('Home');
  });

  it.each([
    ['The portal speaks', 'es', 'Inicio', 'Pagos', 'Liquidado', '1025,50', 'Liquidado: el dinero es suyo', 'El cliente pagó'],
    ['El portal habla', 'ar', 'الرئيسية', 'الدفعات', 'مسوّاة', '1,025.50', 'مسوّاة: المال لك', 'دفع العميل'],
  ])('from %s to %s, the payments are translated, fit a phone and break no rule of WCAG', async (label, language, ...words) => {
    const [home, payments, settled, amount, headline, step] = words as [string, string, string, string, string, string];
    await portal.goto('');
    await choose(label, language);
    await heading(home);
    await portal.page.locator('.bars').waitFor();
    await portal.screenshots(`home-${language}`);
    await portal.page.getByRole('link', { name: payments, exact: true }).click();
    await heading(payments);
    await eventually(async () => {
      const line = await portal.page.locator('tbody tr').first().textContent();
      expect(line).toContain('order-77');
      expect(line).toContain(settled);
      expect(line).toContain(amount);
    });
    await portal.screenshots(`payments-${language}`);
    await portal.page.setViewportSize({ width: 390, height: 844 });
    expect(await direction()).toBe(language === 'ar' ? 'ar rtl' : 'es ltr');
    expect(await fits()).toBe(true);
    expect(await portal.accessibilityFaults()).toEqual([]);
    await portal.page.getByRole('link', { name: /^[0-9]+$/ }).click();
    await portal.page.getByText(headline).waitFor();
    await portal.page.locator('.timeline', { hasText: step }).waitFor();
    expect(await fits()).toBe(true);
    await portal.screenshots(`payment-${language}`);
    expect(portal.complaints).toEqual([]);
  });

  it('shows times in the zone that the person chooses', async () => {
    await portal.goto('payments');
    await heading('الدفعات');
    await choose('البوابة تتحدث', 'en');
    await choose('Time zone', 'Asia/Tokyo');
    const time = portal.page.locator('tbody time').first();
    const at = new Date((await time.getAttribute('datetime'))!);
    const inTokyo = new Intl.DateTimeFormat('en-ZA', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'Asia/Tokyo' });
    expect((await time.textContent())!.replaceAll(/\s/g, ' ')).toBe(inTokyo.format(at).replaceAll(/\s/g, ' '));
  });

  it('finds both again in another browser, whatever was chosen there before signing in', async () => {
    await choose('The portal speaks', 'es');
    await heading('Pagos');
    const other = await PortalBrowser.open(platform.standalone.baseUrl);
    try {
      await other.signIn(person);
      await other.page.getByRole('heading', { level: 1, name: 'Inicio', exact: true }).waitFor();
      expect(await other.page.getByLabel('Zona horaria', { exact: true }).inputValue()).toBe('Asia/Tokyo');
      expect(other.complaints).toEqual([]);
    } finally {
      await other.close();
    }
  });
});
