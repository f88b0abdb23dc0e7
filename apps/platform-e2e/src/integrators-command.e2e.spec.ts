import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream';
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

  it('keeps several accounts of a platform: the last log-in acts, or the one that --as names', async () => {
    const home = ['--home', process.env['PAYCODE_E2E_HOME']!];
    for (const user of ['merchant-1002', 'psp-1']) expect((await paycodeDev(['login', ...home, '--user', user])).code).toBe(0);
    const refused = await paycodeDev(['codes', 'create']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/merchantId is required for a PSP$/m)]);
    expect((await paycodeDev(['codes', 'create', '--as', 'merchant-1002'])).code).toBe(0);
    expect((await paycodeDev(['logout'])).stdout).toContain('psp-1');
    expect((await paycodeDev(['codes', 'create', '--url', baseUrl])).code).toBe(4);
    expect((await paycodeDev(['codes', 'create', '--as', 'merchant-1002'])).code).toBe(0);
  });

  it('goes through the proxy of HTTPS_PROXY, but not to hosts of NO_PROXY', async () => {
    const targets: string[] = [];
    const proxy = createServer().on('connect', ({ url }: IncomingMessage, socket: Socket) => {
      targets.push(url!);
      const { hostname, port } = new URL(`http://${url}`);
      const onward = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      pipeline(socket, onward, socket, () => undefined);
    });
    await new Promise<void>(done => proxy.listen(0, '127.0.0.1', done));
    const env = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, NO_PROXY: '' };
    const login = ['login', '--home', process.env['PAYCODE_E2E_HOME']!, '--user', 'merchant-1002'];
    expect(await paycodeDev(login, env)).toMatchObject({ code: 0, stderr: '' });
    expect(targets).toContain(new URL(baseUrl).host);
    const through = targets.length;
    expect((await paycodeDev(login, { ...env, NO_PROXY: 'example.org,localhost' })).code).toBe(0);
    expect(targets.length).toBe(through);
    proxy.closeAllConnections();
    await new Promise(done => proxy.close(done));
    expect(await paycodeDev(login, env)).toMatchObject({ code: 3 });
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

describe('paycode-dev notifications, from the package', () => {
  it("sets a merchant's URL and recipients, and keeps the new key above the old one in a file that only its owner reads", async () => {
    const [merchant, receiver] = [await makeMerchant(platform), await MerchantReceiver.start()];
    await paycodeDev(['login', '--home', process.env['PAYCODE_E2E_HOME']!, '--user', 'psp-1']);
    const notifications = (...words: string[]) =>
      paycodeDev(['notifications', ...words, '--merchant-id', String(merchant.merchantId)]);
    const keyFile = join(folder, 'webhook.key');
    const kept = () => readFileSync(keyFile, 'utf8').trim().split('\n');
    const added = await notifications('add', receiver.url, '--key', keyFile);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    const [first] = kept();
    expect([first, statSync(keyFile).mode & 0o777]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), 0o600]);
    expect((await notifications('renew-key', '--key', keyFile)).stdout).not.toMatch(/[0-9a-f]{32}/);
    expect(kept()).toEqual([expect.not.stringMatching(first!), first]);
    expect((await notifications('recipients', 'EMAIL', 'shop@example.org')).code).toBe(0);
    expect((await notifications('list')).stdout).toMatch(/^EMAIL {2}shop@example\.org$/m);
    expect(await notifications('add', receiver.url)).toMatchObject({ code: 2, stdout: '' });
    await receiver.stop();
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
