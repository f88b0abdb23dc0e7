import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PlatformConnection } from '@paycode/platform-client';
import { eventually } from '@paycode/service-runtime/testing';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type ConsoleMessage, type Page } from 'playwright-core';
import type { PortalPerson } from './portal-client';

export const browserPath = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(path => path !== undefined && existsSync(path));

/** Describes what takes a browser; without one it is skipped, and its name says how to run it. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (browserPath) describe(name, tests);
  else describe.skip(`${name} (not run: no Chromium; apt-get install chromium, or set CHROMIUM_PATH)`, tests);
}

/** Folder for screenshots of a run, for a person to check. A run of CI takes none. */
export const screenshots = join(__dirname, '../../../../.cache/portal-screenshots');
const patienceMs = 120_000;

/** The browser reports each refusal of the API (4xx) as an error some time later. People read refusals in the page, and so do the tests. */
function isRefusal(message: ConsoleMessage): boolean {
  return message.location().url.includes('/console/api/') && /responded with a status of 4\d\d/.test(message.text());
}

const spaced = (text: string) => text.replaceAll(/\s/g, ' ');

/** A person's browser on the portal. Collects the errors that the browser reports. */
export class PortalBrowser {
  readonly complaints: string[] = [];

  context!: BrowserContext;
  page!: Page;
  private browser: Browser | undefined;

  private constructor(private readonly baseUrl: string) {}

  /** One that is open while the tests of the describe run. */
  static ofJourney({ standalone }: PlatformConnection): PortalBrowser {
    const portal = new PortalBrowser(standalone.baseUrl);
    beforeAll(() => portal.launch());
    afterAll(() => portal.close());
    return portal;
  }

  static async open(baseUrl: string): Promise<PortalBrowser> {
    const portal = new PortalBrowser(baseUrl);
    await portal.launch();
    return portal;
  }

  private async launch(): Promise<void> {
    this.browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
    // The authority of the platform was made by itself; what it is good for is proven by the journeys of the gateway.
    // Without motion no screenshot shows a colour on its way to another.
    this.context = await this.browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-ZA', reducedMotion: 'reduce' });
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(patienceMs);
    this.page.on('console', message => {
      if (message.type() === 'error' && !isRefusal(message))
        this.complaints.push(`${message.text()} (${message.location().url}, on ${this.page.url()})`);
    });
    this.page.on('pageerror', error => this.complaints.push(error.message));
    this.page.on('request', request => {
      if (!request.url().startsWith(this.baseUrl) && !/^(data|blob):/.test(request.url()))
        this.complaints.push(`foreign host: ${request.url()}`);
    });
  }

  goto(path: string): Promise<unknown> {
    return this.page.goto(`${this.baseUrl}/console/${path}`);
  }

  async signIn({ email, password }: PortalPerson): Promise<void> {
    await this.goto('sign-in');
    await this.page.getByLabel('E-mail address').fill(email);
    await this.page.getByLabel('Password').fill(password);
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  /** Follows a link, as a person does. */
  go(name: string): Promise<void> {
    return this.page.getByRole('link', { name, exact: true }).click();
  }

  /** Waits until the page shows each of the texts. Lines and spaces that do not break count as spaces. */
  shows(...texts: string[]): Promise<void> {
    return eventually(async () => {
      const shown = spaced((await this.page.textContent('main'))!);
      for (const text of texts) expect(shown).toContain(spaced(text));
    });
  }

  /** Rules of WCAG 2.2 AA that the page breaks, with the first place of each. */
  async accessibilityFaults(): Promise<string[]> {
    // By the debugger, past the policy of the page, which refuses foreign scripts.
    await this.page.evaluate(axe.source);
    // Only what is broken leaves the page: handing over what every rule found takes seconds.
    const violations = await this.page.evaluate<axe.Result[]>('axe.run().then(({ violations }) => violations)');
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  }

  /** Light, dark and on a phone. */
  async screenshots(name: string): Promise<void> {
    mkdirSync(screenshots, { recursive: true });
    const views = [
      ['light', 'light', 1_280],
      ['dark', 'dark', 1_280],
      ['390', 'light', 390],
    ] as const;
    for (const [view, colorScheme, width] of views) {
      await this.page.emulateMedia({ colorScheme });
      await this.page.setViewportSize({ width, height: 900 });
      if (!process.env['CI']) await this.page.screenshot({ path: join(screenshots, `${name}-${view}.png`), fullPage: true });
    }
    await this.page.emulateMedia({ colorScheme: 'light' });
    await this.page.setViewportSize({ width: 1_280, height: 900 });
  }

  async close(): Promise<void> {
    await this.browser?.close();
  }
}
