import { createPublicKey, type KeyObject, randomUUID } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Credentials, type Merchant, MerchantReceiver } from '@paycode/platform-client';
import { makeMerchant, payNewCode, sharedPlatform } from '../testing/platform';
import { SessionClient } from '../testing/session-client';
import { type KitUnderTest, run } from './receiver-kit';
import { StumblingGateway } from './stumbling-gateway';

const longAgo = new Date('2020-01-01');
/** Claims of notifications that nobody has, so that reading them fails; with several, one of them comes before the good one in any order of files. */
const unreadable = Array.from({ length: 4 }, (_, at) => at + 1);
const matching = (form: string | RegExp) => expect.stringMatching(form) as string;
const uuid = '[0-9a-f-]{36}';

/** One table of calls for all kits: a call by words, and what the kit's program prints of its result. */
type Calls = [call: string, result: string][];

export function describeClient({ program, folder }: KitUnderTest): void {
  const platform = sharedPlatform();
  const support = new SessionClient(platform);
  const order = `order-${randomUUID().slice(0, 8)}`;
  let gateway: StumblingGateway;
  let receiver: MerchantReceiver;
  let merchant: Merchant;
  let transactionId: number;
  let home: string;

  beforeAll(async () => {
    gateway = await StumblingGateway.start(platform);
    receiver = await MerchantReceiver.start();
    home = folder();
    mkdirSync(home, { recursive: true });
    merchant = await makeMerchant(platform);
    transactionId = await payNewCode(merchant, '25.50');
  });
  afterAll(async () => {
    await receiver.stop();
    await gateway.stop();
  });

  /** The lines that the program prints of the calls. */
  async function results(account: Credentials, calls: string[], env: Record<string, string> = {}): Promise<string[]> {
    const { command, args, cwd, env: own } = program();
    writeFileSync(join(home, 'calls'), `${calls.join('\n')}\n`);
    const settings = {
      PAYCODE_URL: gateway.url,
      PAYCODE_CA_FILE: platform.standalone.caFile,
      PAYCODE_IDENTITY: account.username,
      PAYCODE_PASSWORD: account.password,
      PAYCODE_LOGIN: 'BASIC',
      PAYCODE_TIMEOUT_MS: '5000',
      KIT_CALLS_FILE: join(home, 'calls'),
      KIT_FOLDER: home,
      KIT_ON_ERROR: 'OWN',
    };
    const printed = await run(command, [...args, 'client'], { cwd, env: { ...own, ...settings, ...env } });
    const basic = Buffer.from(`${account.username}:${account.password}`).toString('base64');
    for (const hidden of [account.password, basic, 'eyJ', 'PRIVATE KEY']) expect(printed).not.toContain(hidden);
    return printed.trim().split('\n');
  }

  async function expectAll(account: Credentials, table: Calls, env: Record<string, string> = {}): Promise<string[]> {
    const printed = await results(
      account,
      table.map(([call]) => call),
      env,
    );
    expect(printed).toEqual(table.map(([, result]) => result));
    return printed;
  }

  it('calls for a Basic account: exact decimals go out and come back, and a refusal has its status, code and request id', async () => {
    const code = matching(/^code \d{10}$/);
    const printed = await expectAll(merchant.credentials, [
      [`createCode ${order} 25.50 ZAR`, code],
      [`createCode ${order} 25.50 ZAR`, code],
      [`queryRef ${order}`, matching(/^reference 25\.50? /)],
      [`createCode ${order}-2 200000.01 ZAR`, code],
      [`queryRef ${order}-2`, matching(/^reference 200000\.01 /)],
      [`createCode ${order}-3 9999999999.999 KWD`, code],
      [`queryRef ${order}-3`, matching(/^reference 9999999999\.999 /)],
      [`createCode ${order}-4 0.01 XXX`, matching(`^error 400 [A-Z_]+ ${uuid}$`)],
      [`getNotification ${transactionId}`, matching(`^notification ${transactionId} SUCCESS 25\\.50?$`)],
      ['getNotification 1', matching(`^error 404 [A-Z_]+ ${uuid}$`)],
      [`notifications ${longAgo.toISOString()}`, `notifications ${transactionId}`],
    ]);
    expect(printed[1]).toBe(printed[0]);
  });

  it('asks once more after a lost answer, no answer, and 503, and so makes one code', async () => {
    const calls = ['lost', 'hang', 'busy'].map(fault => `createCode ${fault}-${order} 1.00 ZAR`);
    await expectAll(
      merchant.credentials,
      calls.map(call => [call, matching(/^code \d{10}$/)]),
    );
    for (const fault of ['lost', 'hang', 'busy']) expect([fault, gateway.count(`"${fault}-${order}"`)]).toEqual([fault, 2]);
  });

  it("registers a merchant's URL and recipients for a Basic provider; a renewal of the key is never repeated by itself", async () => {
    const id = merchant.merchantId;
    const psp = platform.account('psp-1');
    const recipient = 'EMAIL=shop@example.org';
    const http = matching(/^entries (?=.*HTTP=http).*EMAIL=shop@example\.org/);
    const printed = await expectAll(psp, [
      [`addHttp ${id} ${receiver.url}`, matching(/^key [0-9a-f]{32}$/)],
      [`extra ${id} ${recipient.replace('=', ' ')}`, matching(recipient)],
      [`list ${id}`, http],
      [`renewKey ${id}`, matching(/^failed /)],
      [`renewKey ${id}`, matching(/^key [0-9a-f]{32}$/)],
    ]);
    const renewals = gateway.requests.filter(each => each.includes('/renewKey') && each.includes(String(id)));
    expect(renewals.length).toBe(2);
    expect(printed[4]).not.toBe(printed[0]);
  });

  describe('for a Bearer account', () => {
    let account: Credentials;
    let settings: Record<string, string>;
    let privateKey: KeyObject;

    beforeAll(async () => {
      const { username } = merchant.credentials;
      await support.operator('POST', `/internal/accounts/${username}/bearer`);
      const { apiPassword } = await support.operator('POST', `/internal/accounts/${username}/password`);
      account = { username, password: apiPassword as string };
      privateKey = await support.registerKey(username);
      writeFileSync(join(home, 'client.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
      writeFileSync(join(home, 'service.txt'), await support.servicePublicKeyText());
      settings = {
        PAYCODE_LOGIN: 'CHALLENGE',
        PAYCODE_PRIVATE_KEY_FILE: join(home, 'client.pem'),
        PAYCODE_SERVICE_KEY_FILE: join(home, 'service.txt'),
      };
    });

    it('logs in by password, and once more when the session was ended elsewhere', async () => {
      const session = matching(`^session ${uuid}$`);
      const printed = await expectAll(
        account,
        [
          ['logIn', session],
          ['send POST /authentication/logout', 'text {}'],
          [`createCode ${order}-5 1.00 ZAR`, matching(/^code \d{10}$/)],
          ['renew', session],
          ['logOut', 'logged out'],
        ],
        { PAYCODE_LOGIN: 'BEARER' },
      );
      expect(printed[3]).not.toBe(printed[0]);
    });

    it('sends no password to a service that does not hold the key it was given (R-5.3-3)', async () => {
      const stranger = join(home, 'stranger.txt');
      // The client's own public half: our service cannot decrypt what is encrypted to it.
      const strange = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
      writeFileSync(stranger, strange.toString('base64'));
      const before = gateway.count('/authentication/login {');
      const [printed] = await results(account, ['logIn'], { ...settings, PAYCODE_SERVICE_KEY_FILE: stranger });
      expect(printed).toMatch(/^(?:error|failed) /);
      expect(gateway.count('/authentication/login {')).toBe(before);
    });

    it('logs in with mutual trust, renews, reads a missed notification, and resumes the work of a dead process past what it cannot read (R-5.3-3, A-39)', async () => {
      // Only the full login gets in.
      await support.operator('PUT', `/internal/accounts/${account.username}/public-key`, { challengeRequired: true });
      // Claims that a dead process left.
      mkdirSync(join(home, 'store'), { recursive: true });
      for (const id of [...unreadable, transactionId]) {
        writeFileSync(join(home, 'store', String(id)), '');
        utimesSync(join(home, 'store', String(id)), longAgo, longAgo);
      }
      const calls = [
        'logIn',
        'print',
        `createCode ${order}-6 25.50 ZAR`,
        'renew',
        `getNotification ${transactionId}`,
        'resume',
        'logOut',
      ];
      const lines = (await results(account, calls, settings)).filter(line => !line.startsWith('printed '));
      expect(lines.filter(line => line.startsWith('error ')).length).toBe(unreadable.length);
      expect(lines.filter(line => !line.startsWith('error '))).toEqual([
        matching(`^session ${uuid}$`),
        matching(/^code \d{10}$/),
        lines[0],
        matching(`^notification ${transactionId} SUCCESS 25\\.50?$`),
        `handling ${transactionId}`,
        matching(`^handled ${transactionId} SUCCESS 25\\.50? journey-`),
        'resumed',
        'logged out',
      ]);
    });
  });
}
