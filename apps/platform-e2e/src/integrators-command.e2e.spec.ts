import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { namedNotificationStatuses } from '@paycode/dto';
import { type Credentials, type Merchant, MerchantReceiver } from '@paycode/platform-client';
import { installPaycodeDev, runToEnd } from './testing/installed-paycode-dev';
import { makeMerchant, sharedPlatform } from './testing/platform';
import { SessionClient } from './testing/session-client';

interface Played {
  payments: { transactionId: number; status: string; code: string }[];
}

const platform = sharedPlatform();
const { baseUrl, caFile } = platform.standalone;
let folder: string;
let config: string;
let program: string;

const run = (command: string, args: string[], env: Record<string, string> = {}) =>
  runToEnd(command, args, { cwd: folder, env: { XDG_CONFIG_HOME: config, ...env } });

const paycodeDev = (args: string[], env: Record<string, string> = {}) => run(process.execPath, [program, ...args], env);
const logIn = ({ username, password }: Credentials, ...more: string[]) =>
  paycodeDev(['login', '--url', baseUrl, '--ca', resolve(caFile), '--user', username, '--json', ...more], {
    PAYCODE_PASSWORD: password,
  });

async function printed<T>(args: string[]): Promise<T> {
  const { code, stdout, stderr } = await paycodeDev([...args, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
}

/** The only profile, as the command keeps it. */
function profile(): { file: string; content: { authorization: string; expires: string | null } } {
  const profiles = join(config, 'paycode-dev');
  const [name] = readdirSync(profiles).filter(each => each.endsWith('.json'));
  const file = join(profiles, name!);
  return { file, content: JSON.parse(readFileSync(file, 'utf8')) };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paycode-dev-live-'));
  config = join(folder, 'config');
  program = await installPaycodeDev(folder);
});
afterEach(() => rmSync(config, { recursive: true, force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

describe('paycode-dev login, from the package', () => {
  it('finds address, authority and password of npm start, and keeps what it got in a file of mode 0600', async () => {
    const ended = await paycodeDev(['login', '--home', process.env['PAYCODE_E2E_HOME']!, '--user', 'merchant-1002', '--json']);
    expect(JSON.parse(ended.stdout)).toEqual({ url: baseUrl, identity: 'merchant-1002', mode: 'BASIC', expires: null });
    const { file, content } = profile();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(ended.stdout + ended.stderr).not.toContain(content.authorization.split(' ')[1]);
  });

  it('renews a token that ends soon, once for two commands at a time, and logout ends it (R-5.2-9)', async () => {
    const sessions = new SessionClient(platform);
    const account = await sessions.bearerAccount();
    expect(JSON.parse((await logIn(account)).stdout)).toMatchObject({ mode: 'BEARER' });
    const { file, content } = profile();
    writeFileSync(file, JSON.stringify({ ...content, expires: new Date(Date.now() + 1_000).toISOString() }));
    const shown = await Promise.all([1, 2].map(() => paycodeDev(['codes', 'show', '0000000000'])));
    expect(shown.map(({ code, stderr }) => [code, stderr])).toEqual(Array(2).fill([1, expect.stringContaining('404')]));
    const fresh = profile().content;
    expect(await sessions.use('Authorization', content.authorization)).toMatch(/^401 /);
    expect(await sessions.use('Authorization', fresh.authorization)).toBe('let in');
    expect((await paycodeDev(['logout'])).code).toBe(0);
    expect(await sessions.use('Authorization', fresh.authorization)).toMatch(/^401 /);
    expect(await paycodeDev(['codes', 'show', '0000000000'])).toMatchObject({ code: 4, stdout: '' });
  });

  it('with the account’s key the platform proves itself first; another service key ends it before the password', async () => {
    const sessions = new SessionClient(platform);
    const account = await sessions.bearerAccount();
    const key = await sessions.registerKey(account.username);
    writeFileSync(join(folder, 'client.pem'), key.export({ format: 'pem', type: 'pkcs8' }));
    writeFileSync(join(folder, 'service.txt'), await sessions.servicePublicKeyText());
    const keys = ['--private-key', 'client.pem', '--service-key', 'service.txt'];
    expect(JSON.parse((await logIn(account, ...keys)).stdout)).toMatchObject({ mode: 'BEARER', identity: account.username });
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
    writeFileSync(join(folder, 'service.txt'), publicKey.export({ format: 'der', type: 'spki' }).toString('base64'));
    expect(await logIn(account, ...keys)).toMatchObject({ code: 1, stdout: '' });
  });

  it('a wrong password is refused with 4, a platform that is not trusted with 3', async () => {
    expect(await logIn({ ...platform.account('merchant-1002'), password: 'guess' })).toMatchObject({ code: 4, stdout: '' });
    const untrusted = await paycodeDev(['login', '--url', baseUrl, '--user', 'psp-1'], { PAYCODE_PASSWORD: 'x' });
    expect([untrusted.code, untrusted.stderr]).toEqual([3, expect.stringContaining('give its authority with --ca')]);
  });
});

describe('paycode-dev codes and trigger, from the package', () => {
  let merchant: Merchant;
  let receiver: MerchantReceiver;
  let credentials: Credentials;
  beforeAll(async () => {
    merchant = await makeMerchant(platform);
    credentials = merchant.credentials;
    receiver = await MerchantReceiver.start();
    receiver.encryptKey = await merchant.addHttp(receiver.url);
  });
  beforeEach(() => logIn(credentials));
  afterAll(() => receiver.stop());

  const seen = async ({ payments }: Played) => {
    const webhooks = payments.map(({ transactionId }) => receiver.webhook(each => each.transactionId === transactionId));
    return (await Promise.all(webhooks)).map(({ notification }) => notification);
  };

  it('creates, pays and shows a code; an amount keeps its digits (A-57)', async () => {
    const { stdout } = await paycodeDev(['codes', 'create', '--amount', '25.50', '--json']);
    const { code } = JSON.parse(stdout) as { code: string };
    expect((await paycodeDev(['codes', 'show', code])).stdout).toMatch(/^amount +25\.50$/m);
    expect(await printed(['codes', 'pay', code])).toMatchObject({ status: 'SUCCESS' });
    expect(await printed(['codes', 'show', code])).toMatchObject({ state: 'USED' });
    const again = await paycodeDev(['codes', 'pay', code]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('code cannot be paid any more')]);
  });

  it('all-statuses: the receiver sees each status of a purchase (R-3.2-1)', async () => {
    const notifications = await seen(await printed<Played>(['trigger', 'all-statuses']));
    const statuses = notifications.map(({ status }) => status);
    const ofPurchases = namedNotificationStatuses.filter(status => status !== 'REVERSED' && status !== 'REFUNDED');
    expect(new Set(statuses)).toEqual(new Set([...ofPurchases, 'TIMEOUT_PURCHASE']));
  });

  it.each([
    ['refund', ['SUCCESS', 'REFUNDED']],
    ['reversal', ['SUCCESS', 'REVERSED']],
  ])('%s: the receiver sees %j, and which payment it was (A-74)', async (scenario, statuses) => {
    const played = await printed<Played>(['trigger', scenario, '--amount', '10.00']);
    const notifications = await seen(played);
    expect(notifications.map(({ status }) => status)).toEqual(statuses);
    expect(notifications[1]).toMatchObject({ referenceTransactionId: played.payments[0]!.transactionId });
  });

  it('burst: as many payments as asked for, all seen', async () => {
    const played = await printed<Played>(['trigger', 'burst', '--count', '12']);
    expect(new Set((await seen(played)).map(({ transactionId }) => transactionId)).size).toBe(12);
  });

  it('slow: nothing before the customer pays, and it says so first', async () => {
    const ended = await paycodeDev(['trigger', 'slow', '--after', '1']);
    expect(ended.stdout).toMatch(/^Your receiver is going to see nothing while .*\n\d+ {2}SUCCESS {2}dev-/);
  });
});

describe('paycode-dev completion, from the package', () => {
  it('bash offers commands, scenarios and options', async () => {
    const words = async (...line: string[]) => {
      const typed = `COMP_WORDS=(paycode-dev ${line.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${line.length}`;
      const script = `source <("$0" "$1" completion bash); ${typed}; _paycode_dev; echo "\${COMPREPLY[*]}"`;
      return (await run('bash', ['-c', script, process.execPath, program])).stdout.trim();
    };
    expect(await words('tr')).toBe('trigger');
    expect(await words('trigger', 'refu')).toBe('refund');
    expect(await words('login', '--pass')).toBe('--password-file');
  });
});
