import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { scenarios } from '@paycode/dto/sandbox';
import { commands } from './commands/commands';
import { expiryFinding, urlFinding } from './verify/checks/connection-checks';
import { timesFinding } from './verify/checks/load-checks';
import { proxyOf } from './platform/proxy';
import { runProgram } from './program';
import type { Surroundings } from './commands/command';
import { htmlReport } from './report/html-report';
import { checkLines, junitReport, summaryLines } from './report/text-report';
import { allChecks, anchorOf, type Checked, type Report } from './verify/verify';
import { NotificationMaker } from './webhook/notification-maker';

const root = join(__dirname, '../../..');
const samplesFolder = join(root, 'libs/dto/samples/notifications');
const { vectors } = JSON.parse(readFileSync(join(root, 'kits/vectors/notifications.json'), 'utf8'));
const [good] = vectors;
const goodKey: string = good.keys[0];

let folder: string;
let output: string;
let complaints: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paycode-dev-'));
  output = '';
  complaints = '';
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(words: string[], { key, input = '' }: { key?: string; input?: string } = {}): Promise<number> {
  const surroundings: Surroundings = {
    environment: { key, newKey: undefined, password: undefined, configFolder: join(folder, 'config'), isColourless: true },
    input: Readable.from([Buffer.from(input)]),
    write: text => void (output += text),
    complain: text => void (complaints += text),
    onStop: () => undefined,
    isTerminal: false,
    samplesFolder,
    version: '1.2.3',
  };
  return runProgram(words, surroundings);
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe('paycode-dev trigger', () => {
  it('its help lists every scenario, and marks those that a listener or the portal plays', async () => {
    expect(await run(['trigger', '--help'])).toBe(0);
    const list = /^Scenarios\n([^]*?)\n\n/m.exec(output)![1]!.split('\n');
    expect(list.map(line => line.trim().split(' ')[0])).toEqual(scenarios.map(({ name }) => name));
    const marked = list.filter(line => line.includes('with paycode-dev listen'));
    expect(marked.map(line => line.trim().split(' ')[0])).toEqual(['duplicate', 'out-of-order', 'hanging']);
    const portal = list.filter(line => line.includes('in the portal'));
    expect(portal.map(line => line.trim().split(' ')[0])).toEqual(['duplicate-notice', 'slow-core']);
  });
});

describe('the proxy of HTTPS_PROXY', () => {
  it.each([
    ['', true],
    ['example.org', true],
    ['pay.example', false],
    ['other, .pay.example', false],
    ['*.pay.example', false],
    ['ay.example', true],
    ['api.pay.example:8443', false],
    ['api.pay.example:443', true],
    ['*', false],
  ])('with NO_PROXY %j, api.pay.example:8443 is behind it: %s', (noProxy, isBehind) => {
    const found = proxyOf(new URL('https://api.pay.example:8443'), { proxy: 'proxy.example:3128', noProxy });
    expect(found?.href).toBe(isBehind ? 'http://proxy.example:3128/' : undefined);
  });

  it('an address is named whole, and without HTTPS_PROXY there is none', () => {
    const settings = { proxy: 'http://proxy.example:3128', noProxy: '::1,10.0.0.1' };
    expect(proxyOf(new URL('https://[::1]:8443'), settings)).toBeUndefined();
    expect(proxyOf(new URL('https://10.0.0.11'), settings)?.host).toBe('proxy.example:3128');
    expect(proxyOf(new URL('https://10.0.0.11'), { proxy: undefined, noProxy: '' })).toBeUndefined();
  });
});

describe('paycode-dev decrypt', () => {
  it('prints the JSON of a body from stdin, digit for digit', async () => {
    expect(await run(['decrypt'], { key: goodKey, input: `${good.body}\n` })).toBe(0);
    expect(output).toContain('"transactionId": 7000003,');
    expect(JSON.parse(output).status).toBe(good.expect.status);
  });

  it('prints the JSON of a file, under the second of two keys', async () => {
    const keys = ['--key', file('key', `${goodKey}\n`), '--new-key', file('new', '0'.repeat(32))];
    expect(await run(['decrypt', file('body', good.body), ...keys])).toBe(0);
    expect(JSON.parse(output).transactionId).toBe(7_000_003);
  });

  it.each([
    ['BAD_ENCODING', '{"result":"TEST"}'],
    ['TOO_SHORT', 'AAAA'],
    ['NOT_AUTHENTIC', `A${good.body.slice(1)}`],
  ])('refuses with %s and exit code 1', async (code, input) => {
    expect(await run(['decrypt'], { key: goodKey, input })).toBe(1);
    expect([output, complaints]).toEqual(['', `paycode-dev: the body was refused: ${code}\n`]);
  });

  it('reads 128 KiB at most', async () => {
    expect(await run(['decrypt'], { key: goodKey, input: 'A'.repeat(131_073) })).toBe(2);
    expect(complaints).toMatch(/longer than 131072 bytes/);
  });
});

describe('paycode-dev refuses a wrong call with exit code 2', () => {
  it.each([
    [['verify'], /needs the URL/],
    [['verify', 'shop'], /the URL cannot be read/],
    [['verify', 'ftp://shop.example.com'], /must be http or https/],
    [['verify', 'https://me:secret@shop.example.com'], /must not hold a user or a password/],
    [['verify', 'https://shop.example.com', '--window', '46'], /--window: seconds, more than 0 and at most 45/],
    [['verify', 'https://shop.example.com', '--within', '0'], /--within: seconds/],
    [['verify', 'https://shop.example.com', '--merchant-id', '01'], /--merchant-id: a positive integer/],
    [['verify', 'https://shop.example.com', '--reference', 'r'.repeat(46)], /--reference: 1 to 45 characters/],
    [['verify', 'https://shop.example.com', '--fast'], /Unknown option '--fast'/],
    [['verify', 'https://shop.example.com'], /give the key that addHttp answered/],
    [['decrypt', '--strict'], /decrypt has no option --strict/],
    [['login'], /login needs --url <url>, or --home <folder>/],
    [['login', '--url', 'http://shop'], /--url: the address of the platform/],
    [['login', '--url', 'https://pay.example.com', '--user', 'psp-7'], /login needs the API password/],
    [['codes', 'sell'], /codes needs one of: create, pay, show/],
    [['trigger'], /trigger needs the name of a scenario/],
    [['trigger', 'toString'], /there is no scenario "toString"/],
    [['trigger', 'slow-core'], /slow-core is played in the portal: \/console\/sandbox/],
    [['trigger', 'burst', '--count', '101'], /--count: a whole number from 1 to 100/],
    [['listen'], /listen needs --forward-to/],
    [['listen', '--forward-to', 'http://127.0.0.1', '--name', 'A B'], /--name: 1 to 32 small letters/],
    [['events', 'list'], /events needs the word tail/],
    [['completion', 'fish'], /bash or zsh/],
    [['decrypt', 'one', 'two'], /takes one word/],
    [['settle'], /there is no command "settle"/],
  ])('%j', async (words, complaint) => {
    expect(await run(words)).toBe(2);
    expect(complaints).toMatch(complaint);
    expect(output).toBe('');
  });

  it('a key on the command line, and does not repeat it', async () => {
    expect(await run(['decrypt', '--key', goodKey])).toBe(2);
    expect(complaints).toMatch(/--key takes the name of a file/);
    expect(complaints).not.toContain(goodKey);
  });

  it.each(['X-Api-Key s3cret', 'X-Api-Key: s3cret\nHost: other', ''])(
    'a header file that is not one line with a name and a value, and does not repeat it',
    async text => {
      expect(await run(['verify', 'http://127.0.0.1:9/', '--header-file', file('header', text)], { key: goodKey })).toBe(2);
      expect(complaints).toContain('--header-file: the file must hold one line, `Name: value`');
      expect(complaints).not.toContain('s3cret');
    },
  );

  it('a key of another form, and does not repeat it', async () => {
    expect(await run(['decrypt'], { key: 'not-a-key' })).toBe(2);
    expect(complaints).toBe('paycode-dev: PAYCODE_WEBHOOK_KEY: a key is 32 hexadecimal characters\n');
  });
});

describe('paycode-dev help', () => {
  it.each([
    [[]],
    [['--help']],
    [['help', 'verify']],
    [['verify', '--help']],
    [['decrypt', '-h']],
    ...commands.map(({ name }) => [['help', name]]),
  ])('%j shows an example first, in 80 columns', async words => {
    expect(await run(words)).toBe(0);
    const lines = output.split('\n');
    expect(lines[2]).toMatch(/paycode-dev (verify|decrypt|login|logout|codes|trigger|completion|listen|events|notifications)\b/);
    expect(lines.filter(line => line.length > 80)).toEqual([]);
  });

  it('--version is that of the package', async () => {
    await run(['--version']);
    expect(output).toBe('1.2.3\n');
  });
});

const checked = (verdict: Checked['verdict'], reason = 'why <not> & "so"?'): Checked => {
  return { id: `id-${verdict}`, title: 'a title', verdict, reason, page: 'docs/how-to/check-a-receiver.md#the-probe' };
};
const report: Report = {
  url: 'https://shop.example.com/<x>',
  startedAt: '2026-01-02T03:04:05.000Z',
  windowMs: 45_000,
  counts: { pass: 1, warn: 1, fail: 1, skip: 1 },
  answerTimes: { count: 9, p50Ms: 1, p99Ms: 2 },
  checks: [checked('pass'), checked('warn'), checked('fail'), checked('skip')],
};

describe('reports of verify', () => {
  it('text: no line has more than 80 columns, and a failure names its page', () => {
    const text = checkLines(checked('fail', 'word '.repeat(60).trim()), { isColoured: false }) + summaryLines(report);
    expect(text.split('\n').filter(line => line.length > 80)).toEqual([]);
    expect(text).toMatch(/^FAIL {2}a title \(id-fail\)\n {6}word .*\n[^]* {6}docs\/how-to\/check-a-receiver\.md#the-probe\n/);
  });

  it('JUnit: one case per check; failures and skips are counted, a warning passes', () => {
    const xml = junitReport(report);
    expect(xml).toContain('<testsuites name="paycode-dev verify" tests="4" failures="1" skipped="1" errors="0">');
    expect(xml.match(/<testcase /g)).toHaveLength(4);
    expect(xml).toContain('<failure message="why &lt;not&gt; &amp; &quot;so&quot;?">');
    expect(xml).toContain('<system-out>warning: ');
  });

  it('HTML: one page without a request, texts escaped, light and dark', () => {
    const html = htmlReport(report);
    expect(html).toContain('https://shop.example.com/&lt;x&gt;');
    expect(html).toContain('prefers-color-scheme: dark');
    expect(html).not.toMatch(/<(script|link|img)|src=|url\(/);
  });
});

describe('verdicts of verify', () => {
  const day = 86_400_000;
  it.each([
    [-1, 'fail'],
    [13 * day, 'warn'],
    [15 * day, 'pass'],
  ])('a certificate that expires in %i ms: %s', (ms, verdict) => {
    expect(expiryFinding(new Date(ms), 0).verdict).toBe(verdict);
  });

  it.each([
    ['https://shop.example.com/', 'pass'],
    ['https://shop.example.com:8443/', 'pass'],
    ['https://shop.example.com:9443/', 'warn'],
    ['http://shop.example.com/', 'warn'],
    ['http://127.0.0.1:9000/', 'pass'],
    ['http://127.0.0.1.example.com/', 'warn'],
  ])('the URL %s: %s', (url, verdict) => {
    expect(urlFinding(new URL(url)).verdict).toBe(verdict);
  });

  it.each([
    [[1, 2, 22_500], 'pass'],
    [[1, 2, 22_501], 'warn'],
  ])('answers after %j ms, of 45 s: %s', (times, verdict) => {
    expect(timesFinding(times, 45_000).verdict).toBe(verdict);
  });

  it('every check has an id of its own and a section of the page', () => {
    const checks = allChecks(NotificationMaker.from(samplesFolder));
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    const text = readFileSync(join(root, 'docs/how-to/check-a-receiver.md'), 'utf8');
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));
    expect(checks.map(({ section }) => anchorOf(section)).filter(anchor => !headings.includes(anchor))).toEqual([]);
    const unnamed = checks.filter(({ id }) => !id.startsWith('sample-') && !text.includes(`\`${id}\``));
    expect(unnamed.map(({ id }) => id)).toEqual([]);
  });
});
