/**
 * `npm run bench -- portal`: how soon a person sees and uses the pages of the portal, in Chromium with a quarter of the processor and a line of
 * 1.6 Mbit/s with 150 ms: largest paint and shifts of a first load, the slowest answer to a key or click. Beside them the documentation's
 * first page, loaded in the same run. Needs Chromium.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { accepted } from '../../libs/platform-client/src/merchant.ts';
import { PlatformConnection } from '../../libs/platform-client/src/platform-connection.ts';
import { openShops, type Shop } from '../prove/game-day/shops.ts';
import { OwnPlatform } from '../prove/testing/own-platform.ts';

const rounds = 5;
const payments = 60;
const paintTriesMax = 50;
const cpuSlowdown = 4;
const line = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };
const goals = 'goals: paint 1,500 ms, answer 200 ms, shift 0.05';
const paths = ['', 'payments', 'notifications', 'statements', 'till', 'alerts', 'security'];

/** Collects in the page what the browser reports: https://web.dev/articles/vitals says what counts. */
const collect = `
  window.vitals = { paintMs: 0, shift: 0, answerMs: 0 };
  const observe = (type, take, more) => new PerformanceObserver(list => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more });
  observe('largest-contentful-paint', each => (vitals.paintMs = each.startTime));
  observe('layout-shift', each => each.hadRecentInput || (vitals.shift += each.value));
  observe('event', each => each.interactionId && (vitals.answerMs = Math.max(vitals.answerMs, each.duration)), { durationThreshold: 16 });
`;

interface Vitals {
  /** Start of the navigation to the largest paint. */
  paintMs: number;
  /** Sum of the shifts that no input caused. */
  shift: number;
  /** Slowest from a key or click to the next paint; 0 where all took less than 16 ms. */
  answerMs: number;
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
const vitalsOf = (page: Page) => page.evaluate<Vitals>('vitals');

async function makeOwner(platform: PlatformConnection, { merchant }: Shop) {
  const secrets = { email: `${randomUUID()}@bench.example`, password: randomBytes(12).toString('hex') };
  const body = { ...secrets, name: 'Bench Person', tenantType: 'MERCHANT', tenantId: String(merchant.merchantId), role: 'OWNER' };
  accepted('the person', await platform.operator('portal', { method: 'POST', path: '/internal/people', body }));
  return secrets;
}

/** A first load by somebody whose browser has stored nothing, until nothing is loaded any more. */
async function firstLoad(page: Page, url: string): Promise<Vitals> {
  const wire = await page.context().newCDPSession(page);
  await wire.send('Network.enable');
  await wire.send('Network.setCacheDisabled', { cacheDisabled: true });
  await wire.send('Network.emulateNetworkConditions', line);
  await wire.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  await page.goto(url, { waitUntil: 'networkidle' });
  // The browser reports a paint some time after it. The policy of the page allows no wait inside it.
  for (let tries = 0; tries < paintTriesMax && (await vitalsOf(page)).paintMs === 0; tries++) await pause(100);
  return vitalsOf(page);
}

/** Keys and clicks of a person who looks for a payment, opens it and goes back. */
async function use(page: Page, console: string): Promise<Vitals> {
  await firstLoad(page, `${console}payments`);
  await page.locator('main tbody tr, main li').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('/');
  await page.keyboard.type('burst', { delay: 50 });
  await page.keyboard.press('Enter');
  await page.waitForLoadState('networkidle');
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.waitForLoadState('networkidle');
  return vitalsOf(page);
}

function print(name: string, all: readonly Vitals[], baseMs: number): void {
  const of = (key: keyof Vitals) => all.map(each => each[key]);
  const paint = median(of('paintMs'));
  const cells = [
    paint.toFixed(0),
    (paint / baseMs).toFixed(2),
    Math.max(...of('shift')).toFixed(3),
    Math.max(...of('answerMs')).toFixed(0),
  ];
  process.stdout.write(`${name.padEnd(22)}${cells.map(cell => cell.padStart(14)).join('')}\n`);
}

async function measure(platform: OwnPlatform): Promise<void> {
  const connection = new PlatformConnection(platform.home);
  const [shop] = await openShops(connection, 1);
  for (let at = 0; at < payments; at++) {
    const { code } = await shop!.merchant.createCode({ merchantReference: `burst-${at}`, amount: '25.50', currencyCode: 'ZAR' });
    await shop!.merchant.pay(code);
  }
  const { email, password } = await makeOwner(connection, shop!);
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-ZA' });
  await context.addInitScript(collect);
  const inNewTab = async (work: (page: Page) => Promise<Vitals>) => {
    const page = await context.newPage();
    return work(page).finally(() => page.close());
  };
  const repeated = async (work: (page: Page) => Promise<Vitals>) => {
    const all: Vitals[] = [];
    for (let round = 0; round < rounds; round++) all.push(await inNewTab(work));
    return all;
  };
  const { baseUrl } = connection.standalone;
  const pages = `${baseUrl}/console/`;
  process.stdout.write(`${''.padEnd(22)}  paint ms (p50)  beside docs   shift (max)  answer ms (max); ${goals}\n`);
  const base = await repeated(page => firstLoad(page, `${baseUrl}/docs/`));
  const baseMs = median(base.map(({ paintMs }) => paintMs));
  print('documentation', base, baseMs);
  print('sign-in', await repeated(page => firstLoad(page, `${pages}sign-in`)), baseMs);
  const signIn = await context.newPage();
  await signIn.goto(`${pages}sign-in`);
  await signIn.getByLabel('E-mail address').fill(email);
  await signIn.getByLabel('Password').fill(password);
  await signIn.getByRole('button', { name: 'Sign in', exact: true }).click();
  await signIn.getByRole('heading', { name: 'Home' }).waitFor();
  await signIn.close();
  for (const path of paths) print(path || 'home', await repeated(page => firstLoad(page, pages + path)), baseMs);
  print('looking for a payment', await repeated(page => use(page, pages)), baseMs);
  await browser.close();
  await shop!.receiver.stop();
}

const platform = await OwnPlatform.start();
try {
  await measure(platform);
} finally {
  await platform.stop();
}
