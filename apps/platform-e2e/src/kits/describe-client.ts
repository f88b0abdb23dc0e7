import { createPublicKey, type KeyObject } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeMerchant, payNewCode, sharedPlatform } from '../testing/platform';
import { SessionClient } from '../testing/session-client';
import { type KitUnderTest, run } from './receiver-kit';

const longAgo = new Date('2020-01-01');
/** Claims of notifications that nobody has, so that reading them fails; with several, one of them comes before the good one in any order of files. */
const unreadable = Array.from({ length: 4 }, (_, at) => at + 1);

export function describeClient({ program, folder }: KitUnderTest): void {
  const platform = sharedPlatform();
  const client = new SessionClient(platform);
  const settings: Record<string, string> = {};
  let privateKey: KeyObject;
  let home: string;
  let transactionId: number;

  beforeAll(async () => {
    home = folder();
    const merchant = await makeMerchant(platform);
    transactionId = await payNewCode(merchant, '25.50');
    const username = `merchant-${merchant.merchantId}`;
    await client.operator('POST', `/internal/accounts/${username}/bearer`);
    const { apiPassword } = await client.operator('POST', `/internal/accounts/${username}/password`);
    privateKey = await client.registerKey(username);
    // Only the full login gets in (R-5.3-3, A-39).
    await client.operator('PUT', `/internal/accounts/${username}/public-key`, { challengeRequired: true });
    // Claims that a dead process left.
    mkdirSync(join(home, 'store'), { recursive: true });
    for (const id of [...unreadable, transactionId]) {
      writeFileSync(join(home, 'store', String(id)), '');
      utimesSync(join(home, 'store', String(id)), longAgo, longAgo);
    }
    writeFileSync(join(home, 'client.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    writeFileSync(join(home, 'service.txt'), await client.servicePublicKeyText());
    Object.assign(settings, {
      PAYCODE_URL: platform.standalone.baseUrl,
      PAYCODE_CA_FILE: platform.standalone.caFile,
      PAYCODE_IDENTITY: username,
      PAYCODE_PASSWORD: apiPassword as string,
      PAYCODE_PRIVATE_KEY_FILE: join(home, 'client.pem'),
      PAYCODE_SERVICE_KEY_FILE: join(home, 'service.txt'),
      KIT_FOLDER: home,
      KIT_ON_ERROR: 'OWN',
      KIT_TRANSACTION: String(transactionId),
    });
  });

  const login = (env: Record<string, string> = {}) => {
    const { command, args, cwd, env: own } = program();
    return run(command, [...args, 'login'], { cwd, env: { ...own, ...settings, ...env } });
  };

  it('sends no password to a service that does not hold the key it was given (R-5.3-3)', async () => {
    const stranger = join(home, 'stranger.txt');
    // The client's own public half: our service cannot decrypt what is encrypted to it.
    const strange = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
    writeFileSync(stranger, strange.toString('base64'));
    await expect(login({ PAYCODE_SERVICE_KEY_FILE: stranger })).rejects.toMatchObject({
      stdout: expect.not.stringContaining('logged in') as string,
    });
  });

  it('logs in with mutual trust, renews, reads a missed notification, and resumes the work of a dead process past what it cannot read (R-5.3-3, A-39)', async () => {
    const printed = await login();
    for (const hidden of [settings['PAYCODE_PASSWORD']!, 'eyJ', 'PRIVATE KEY']) expect(printed).not.toContain(hidden);
    const all = printed
      .trim()
      .split('\n')
      .filter(line => !line.startsWith('printed '));
    const lines = all.filter(line => !line.startsWith('error '));
    expect(all.length - lines.length).toBe(unreadable.length);
    expect(lines).toEqual([
      expect.stringMatching(/^logged in [0-9a-f-]{36}$/),
      expect.stringMatching(/^created \d{10}$/),
      expect.stringMatching(/^renewed [0-9a-f-]{36} true$/),
      expect.stringMatching(new RegExp(`^read ${transactionId} SUCCESS 25\\.50?$`)),
      `handling ${transactionId}`,
      expect.stringMatching(new RegExp(`^handled ${transactionId} SUCCESS 25\\.50? journey-`)),
      'logged out',
    ]);
    expect(lines[2]!.split(' ')[1]).toBe(lines[0]!.split(' ')[2]);
  });
}
