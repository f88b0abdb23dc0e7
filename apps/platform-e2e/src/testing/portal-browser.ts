import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
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

/** Folder for screenshots of a run, for a person to check. */
export const screenshots = join(__dirname, '../../../../.cache/portal-screenshots');
const patienceMs = 120_000;

/** The browser reports each refusal of the API (4xx) as an error some time later. People read refusals in the page, and so do the tests. */
function isRefusal(message: ConsoleMessage): boolean {
  return message.location().url.includes('/console/api/') && /responded with a status of 4\d\d/.test(message.text());
}

/** A person's browser on the portal. Collects the errors that the browser reports. */
export class PortalBrowser {
  readonly complaints: string[] = [];

  private constructor(
    private readonly browser: Browser,
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly baseUrl: string,
  ) {}

  static async open(baseUrl: string): Promise<PortalBrowser> {
    const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
    // The authority of the platform was made by itself; what it is good for is proven by the journeys of the gateway.
    // Without motion no screenshot shows a colour on its way to another.
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-ZA', reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    const opened = new PortalBrowser(browser, context, page, baseUrl);
    page.on('console', message => {
      if (message.type() === 'error' && !isRefusal(message))
        opened.complaints.push(`${message.text()} (${message.location().url}, on ${page.url()})`);
    });
    page.on('pageerror', error => opened.complaints.push(error.message));
    page.on('request', request => {
      if (!request.url().startsWith(baseUrl) && !/^(data|blob):/.test(request.url()))
        opened.complaints.push(`foreign host: ${request.url()}`);
    });
    return opened;
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

  /** Rules of WCAG 2.2 AA that the page breaks, with the first place of each. */
  async accessibilityFaults(): Promise<string[]> {
    // By the debugger, past the policy of the page, which refuses foreign scripts.
    await this.page.evaluate(axe.source);
    const { violations } = await this.page.evaluate<axe.AxeResults>('axe.run()');
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
      await this.page.screenshot({ path: join(screenshots, `${name}-${view}.png`), fullPage: true });
    }
    await this.page.emulateMedia({ colorScheme: 'light' });
    await this.page.setViewportSize({ width: 1_280, height: 900 });
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}
