import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { RecipientMessagesHarness, tokenKeys } from '../testing/running-recipient-messages';

const secret = 'x'.repeat(43);

describe('invitations to the portal', () => {
  let harness: RecipientMessagesHarness;
  let outbox: string;
  let count = 0;

  beforeEach(async () => {
    outbox = mkdtempSync(join(tmpdir(), 'paycode-invitations-'));
    harness = await RecipientMessagesHarness.open();
  });
  afterEach(async () => {
    await harness.close();
    rmSync(outbox, { recursive: true });
  });

  const invited = { reason: 'INVITED' };
  const mails = () =>
    readdirSync(outbox, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      // Soft line breaks of quoted-printable.
      .map(text => text.replace(/=\r?\n/g, ''));
  const rows = () => harness.database.dataSource.query<Record<string, unknown>[]>('select * from recipient_message');

  it('are mailed once, however often they are handed over, carry no word of whoever invites, and are forgotten when they are sent (T-16, T-25)', async () => {
    await harness.start({ OUTBOX_FOLDER: outbox });
    const one = { invitationId: randomUUID() };
    const chosen = { ...invited, tenant: 'Your account is blocked', email: 'a@evil.example', link: 'https://evil.example/' };
    for (const body of [chosen, invited]) expect(await harness.postInvitation('portal', body, one)).toBe(204);
    const other = { email: 'other@shop.example' };
    expect(await harness.postInvitation('portal', { reason: 'PASSWORD_FORGOTTEN' }, other)).toBe(204);
    await eventually(async () => expect((await rows()).map(({ state }) => state)).toEqual(['SENT', 'SENT']));
    expect(mails()).toHaveLength(2);
    const mail = mails().find(text => text.includes('new@shop.example'))!;
    for (const part of ['merchant 1001', `https://pay.example/console/accept#${secret}`]) expect(mail).toContain(part);
    expect(mail).not.toMatch(/blocked|evil/);
    expect(mails().find(text => text.includes('other@shop.example'))).toContain('your password stays as it is');
    expect(JSON.stringify(await rows())).not.toMatch(new RegExp(`${secret}|shop\\.example`));
  });

  it('regression: the key of the portal alone mails nobody: an invitation that waits is asserted, and nobody else’s route mails one (T-27)', async () => {
    await harness.start({ OUTBOX_FOLDER: outbox });
    for (const caller of ['notification-config', 'webhook-dispatcher'] as const)
      expect([caller, await harness.postInvitation(caller, invited)]).toEqual([caller, 403]);
    for (const kind of ['invitations', 'four-eyes'])
      expect(await harness.post('portal', kind, { body: invited, assertion: 'x' })).toBe(401);
    expect(await harness.post('portal', 'invitations', { body: invited })).toBe(401);
    expect(await harness.postNotices('portal', [])).toBe(403);
    expect(await harness.postInvitation('portal', { reason: 'BLOCKED' })).toBe(400);
    expect(await rows()).toEqual([]);
  });

  describe('and requests for a second person', () => {
    const request = (over: object = {}) => ({
      requestId: `00000000-0000-4000-9000-${String((count += 1)).padStart(12, '0')}`,
      kind: 'BEARER_SWITCH',
      to: ['one', 'two'].map(name => ({ email: `${name}@shop.example`, name })),
      expiresAt: '2030-01-01T10:00:00.000Z',
      ...over,
    });

    it('go to each who can confirm, once, and are forgotten when they are sent (T-16, T-25)', async () => {
      await harness.start({ OUTBOX_FOLDER: outbox });
      const one = request();
      const assertion = tokenKeys.personAssertion({ actor: 'Thandi <b>Nkosi</b>' });
      for (const body of [one, one]) expect(await harness.post('portal', 'four-eyes', { body, assertion })).toBe(204);
      await eventually(async () => expect((await rows()).map(({ state }) => state)).toEqual(['SENT', 'SENT']));
      expect(mails()).toHaveLength(2);
      for (const name of ['one', 'two']) {
        const mail = mails().find(text => text.includes(`${name}@shop.example`))!;
        for (const part of [`Hello ${name},`, 'the switch of your API', 'https://pay.example/console/api', '&lt;b&gt;Nkosi'])
          expect(mail).toContain(part);
      }
      expect(JSON.stringify(await rows())).not.toMatch(/shop\.example|Nkosi/);
    });

    it('are taken from the portal alone, for at most 50 (T-27)', async () => {
      await harness.start({ OUTBOX_FOLDER: outbox });
      expect(await harness.post('notification-config', 'four-eyes', { body: request() })).toBe(403);
      const many = Array.from({ length: 51 }, (_, at) => ({ email: `p${at}@shop.example`, name: 'P' }));
      for (const wrong of [{ to: many }, { to: [] }, { to: [{ email: 'x', name: 'X' }] }, { kind: 'ALL' }])
        expect([wrong, await harness.post('portal', 'four-eyes', { body: request(wrong) })]).toEqual([wrong, 400]);
      expect(await rows()).toEqual([]);
    });
  });

  it('are refused while no e-mail can be sent, so that nobody waits for one', async () => {
    await harness.start();
    expect(await harness.postInvitation('portal', invited)).toBe(503);
  });
});
