import { execFile } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { Client } from 'pg';
import { OutboxFolder } from './testing/outbox-folder';
import { sharedPlatform } from './testing/platform';
import { describeInBrowser, PortalBrowser } from './testing/portal-browser';
import { makePerson, PortalClient, type PortalPerson } from './testing/portal-client';

interface Report {
  recoveryId: string;
  state: string;
}

/** The last owner of a shop has left. Two operators let the next one in by commands, and the owner on the books can refuse. */
describeInBrowser('an account whose owners are gone', () => {
  const home = process.env['PAYCODE_E2E_HOME']!;
  const platform = sharedPlatform();
  const outbox = new OutboxFolder(home);
  const tokens: string[] = [];
  let owner: PortalPerson;
  let portal: PortalBrowser | undefined;
  let email: string;

  beforeEach(async () => {
    owner = await makePerson(platform, { tenantId: String(randomInt(1_000_000, 2 ** 47)), name: 'Thandi Gone' });
    email = `${randomUUID()}@journey.example`;
  });
  afterAll(async () => {
    await portal?.close();
    for (const file of tokens) rmSync(file, { force: true });
  });

  const paycode = (...args: string[]) =>
    new Promise<{ code: number; out: string; err: string }>(resolve => {
      const program = join(__dirname, '../../operations/src/paycode.ts');
      const env = { ...process.env, PAYCODE_HOME: home, NODE_OPTIONS: '' };
      execFile(process.execPath, [program, ...args], { env }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });
  /** Commands with a token of that operator's own. */
  const operator = async (subject: string) => {
    const file = join(home, `${subject}.token`);
    writeFileSync(file, (await paycode('operators', 'issue', '--subject', subject, '--hours', '1')).out, { mode: 0o600 });
    tokens.push(file);
    return (...args: string[]) => paycode('--token-file', file, '--json', 'owners', ...args);
  };
  const ask = async (as: Awaited<ReturnType<typeof operator>>) => {
    const named = ['--email', email, '--name', 'Nandi Next', '--reason', 'letter of the registrar, ticket 12'];
    const { out, err } = await as('ask', 'merchant', owner.tenantId, ...named);
    if (!out) throw new Error(err);
    return JSON.parse(out) as Report;
  };
  const threeDaysPass = async (recoveryId: string) => {
    const url = readFileSync(join(home, 'secrets/database-url-portal'), 'utf8').trim();
    const database = new Client({ connectionString: url });
    await database.connect();
    const sql = `update owner_recovery set asked_at = asked_at - interval '3 days' where recovery_id = $1`;
    await database.query(sql, [recoveryId]);
    await database.end();
  };
  const signedIn = async () => {
    portal ??= await PortalBrowser.open(platform.standalone.baseUrl);
    await portal.signIn(owner);
    await portal.page.getByRole('link', { name: 'People', exact: true }).click();
    return portal;
  };

  it('gets a new one: one operator asks, the owners are mailed, another confirms after three days, and the new owner reads who did it', async () => {
    const [alice, bob] = [await operator('alice'), await operator('bob')];
    const { recoveryId } = await ask(alice);
    await eventually(() => expect(outbox.find('email', owner.email, 'refuse it if it is wrong')).toHaveLength(1));
    expect(outbox.find('email', owner.email)[0]).not.toMatch(/accept#|Nandi/);
    expect((await bob('confirm', recoveryId)).err).toContain('three days');
    await threeDaysPass(recoveryId);
    expect((await alice('confirm', recoveryId)).err).toContain('another operator');
    expect(JSON.parse((await bob('confirm', recoveryId)).out)).toMatchObject({ state: 'CONFIRMED', endedBy: 'operator bob' });
    await eventually(() => expect(outbox.find('email', email)).toHaveLength(1));
    const [, secret] = /accept#([\w-]{43})/.exec(outbox.find('email', email)[0]!)!;
    const password = 'a long enough sentence';
    const next = new PortalClient(platform);
    await next.send({ method: 'POST', path: 'invitations/accept', body: { secret, password } });
    const client = await PortalClient.signedIn(platform, { ...owner, email, password });
    const record = JSON.parse((await client.send({ path: 'actions' })).text) as { action: string; personName: string }[];
    expect(record).toContainEqual(expect.objectContaining({ action: 'OWNER_RECOVERY_ASKED', personName: 'operator alice' }));
    expect(record).toContainEqual(expect.objectContaining({ action: 'OWNER_RECOVERY_CONFIRMED', personName: 'operator bob' }));
    expect(JSON.parse((await bob('list')).out)).toContainEqual(expect.objectContaining({ recoveryId, state: 'CONFIRMED' }));
  });

  it('is not lost to a stranger: an owner who is there sees who asks, and refuses', async () => {
    const [alice, bob] = [await operator('alice'), await operator('bob')];
    const { recoveryId } = await ask(alice);
    const browser = await signedIn();
    const { page } = browser;
    await page.getByRole('heading', { name: 'Somebody is to become an owner' }).waitFor();
    await page.getByText(email).waitFor();
    expect(await browser.accessibilityFaults()).toEqual([]);
    await browser.screenshots('owner-recovery');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('Refused: nobody becomes an owner by it').waitFor();
    await page.getByRole('cell', { name: 'Refused a new owner' }).waitFor();
    await threeDaysPass(recoveryId);
    expect((await bob('confirm', recoveryId)).err).toContain('refused this recovery');
    expect(outbox.find('email', email)).toEqual([]);
  });
});
