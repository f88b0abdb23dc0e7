import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sharedPlatform } from './testing/platform';
import { SessionClient } from './testing/session-client';

const examples = join(__dirname, '../../../examples/log-in');

/** The clients of docs/how-to/log-in.md do what they say, on stock cryptography. */
describe('the clients of the how-to guide', () => {
  const platform = sharedPlatform();
  const client = new SessionClient(platform);
  const folder = mkdtempSync(join(tmpdir(), 'paycode-clients-'));
  const settings: Record<string, string> = {};

  beforeAll(async () => {
    const account = await client.bearerAccount();
    const privateKey = await client.registerKey(account.username);
    // Only the full login gets in (R-5.3-3, A-39).
    await client.operator('PUT', `/internal/accounts/${account.username}/public-key`, { challengeRequired: true });
    writeFileSync(join(folder, 'client.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    writeFileSync(join(folder, 'service.txt'), await client.servicePublicKeyText());
    Object.assign(settings, {
      PAYCODE_URL: platform.standalone.baseUrl,
      PAYCODE_CA_FILE: platform.standalone.caFile,
      PAYCODE_IDENTITY: account.username,
      PAYCODE_PASSWORD: account.password,
      PAYCODE_PRIVATE_KEY_FILE: join(folder, 'client.pem'),
      PAYCODE_SERVICE_KEY_FILE: join(folder, 'service.txt'),
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (command: string, file: string, env: Record<string, string> = {}) =>
    promisify(execFile)(command, [join(examples, file)], { env: { ...process.env, NODE_OPTIONS: '', ...settings, ...env } });

  const clients: [string, string, string][] = [
    ['Node', process.execPath, 'node/log-in.mjs'],
    ['Python', 'python3', 'python/log_in.py'],
    ['Java', 'java', 'java/LogIn.java'],
  ];

  it.each(clients)('%s logs in with mutual trust, uses the session, renews it and logs out', async (_, command, file) => {
    const { stdout } = await run(command, file);
    expect(stdout.trim().split('\n')).toEqual([
      'service proved itself',
      expect.stringMatching(/^logged in, session [0-9a-f-]{36} until \d{4}-\d\d-\d\dT[\d:.]+Z$/),
      'request authenticated',
      expect.stringMatching(/^renewed until \d{4}-/),
      'logged out',
    ]);
  });

  it.each(clients)('%s sends no password to a service that does not hold the key it was given', async (_, command, file) => {
    const stranger = join(folder, 'stranger.txt');
    // The client's own public half: our service cannot decrypt what is encrypted to it.
    const strange = createPublicKey(readFileSync(join(folder, 'client.pem'))).export({ format: 'der', type: 'spki' });
    writeFileSync(stranger, strange.toString('base64'));
    await expect(run(command, file, { PAYCODE_SERVICE_KEY_FILE: stranger })).rejects.toMatchObject({
      stdout: expect.not.stringContaining('logged in') as string,
    });
  });
});
