import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { RecipientMessagesHarness } from '../testing/running-recipient-messages';

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

  const invitation = (over: object = {}) => ({
    invitationId: `00000000-0000-4000-8000-${String((count += 1)).padStart(12, '0')}`,
    email: 'new@shop.example',
    link: `https://pay.example/console/accept#${secret}`,
    tenant: 'merchant 1001',
    reason: 'INVITED',
    expiresAt: '2030-01-01T10:00:00.000Z',
    ...over,
  });
  const mails = () =>
    readdirSync(outbox, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      // Soft line breaks of quoted-printable.
      .map(text => text.replace(/=\r?\n/g, ''));
  const rows = () => harness.database.dataSource.query<Record<string, unknown>[]>('select * from recipient_message');

  it('are mailed once, however often they are handed over, carry no word of whoever invites, and are forgotten when they are sent (T-16, T-25)', async () => {
    await harness.start({ OUTBOX_FOLDER: outbox });
    const one = invitation({ name: 'Your account is blocked', invitedBy: 'https://evil.example' });
    expect([await harness.postInvitation('portal', one), await harness.postInvitation('portal', one)]).toEqual([204, 204]);
    const other = invitation({ email: 'other@shop.example', reason: 'PASSWORD_FORGOTTEN' });
    expect(await harness.postInvitation('portal', other)).toBe(204);
    await eventually(async () => expect((await rows()).map(({ state }) => state)).toEqual(['SENT', 'SENT']));
    expect(mails()).toHaveLength(2);
    const mail = mails().find(text => text.includes('new@shop.example'))!;
    for (const part of ['merchant 1001', `accept#${secret}`]) expect(mail).toContain(part);
    expect(mail).not.toMatch(/blocked|evil/);
    expect(mails().find(text => text.includes('other@shop.example'))).toContain('your password stays as it is');
    expect(JSON.stringify(await rows())).not.toMatch(new RegExp(`${secret}|shop\\.example`));
  });

  it('are taken from the portal alone, with a link to https only (T-27)', async () => {
    await harness.start({ OUTBOX_FOLDER: outbox });
    for (const caller of ['notification-config', 'webhook-dispatcher'] as const)
      expect([caller, await harness.postInvitation(caller, invitation())]).toEqual([caller, 403]);
    for (const wrong of [{ link: 'http://pay.example/' }, { email: 'a@b.example\r\nBcc: c@d.example' }, { invitationId: '1' }])
      expect([wrong, await harness.postInvitation('portal', invitation(wrong))]).toEqual([wrong, 400]);
    expect(await rows()).toEqual([]);
  });

  describe('and requests for a second person', () => {
    const request = (over: object = {}) => ({
      requestId: `00000000-0000-4000-9000-${String((count += 1)).padStart(12, '0')}`,
      to: ['one', 'two'].map(name => ({ email: `${name}@shop.example`, name })),
      askedBy: 'Thandi <b>Nkosi</b>',
      what: 'the switch of your API account to Bearer',
      tenant: 'merchant 1001',
      link: 'https://pay.example/console/api',
      expiresAt: '2030-01-01T10:00:00.000Z',
      ...over,
    });

    it('go to each who can confirm, once, and are forgotten when they are sent (T-16, T-25)', async () => {
      await harness.start({ OUTBOX_FOLDER: outbox });
      const one = request();
      expect([await harness.post('portal', 'four-eyes', one), await harness.post('portal', 'four-eyes', one)]).toEqual([
        204, 204,
      ]);
      await eventually(async () => expect((await rows()).map(({ state }) => state)).toEqual(['SENT', 'SENT']));
      expect(mails()).toHaveLength(2);
      for (const name of ['one', 'two']) {
        const mail = mails().find(text => text.includes(`${name}@shop.example`))!;
        for (const part of [`Hello ${name},`, 'the switch of your API', 'console/api', '&lt;b&gt;Nkosi'])
          expect(mail).toContain(part);
      }
      expect(JSON.stringify(await rows())).not.toMatch(/shop\.example|Nkosi/);
    });

    it('are taken from the portal alone, for at most 50, with a link to https only (T-27)', async () => {
      await harness.start({ OUTBOX_FOLDER: outbox });
      expect(await harness.post('notification-config', 'four-eyes', request())).toBe(403);
      const many = Array.from({ length: 51 }, (_, at) => ({ email: `p${at}@shop.example`, name: 'P' }));
      for (const wrong of [{ to: many }, { to: [] }, { to: [{ email: 'x', name: 'X' }] }, { link: 'http://pay.example/' }])
        expect([wrong, await harness.post('portal', 'four-eyes', request(wrong))]).toEqual([wrong, 400]);
      expect(await rows()).toEqual([]);
    });
  });

  it('are refused while no e-mail can be sent, so that nobody waits for one', async () => {
    await harness.start({ EMAIL_TRANSPORT: 'off', SMS_TRANSPORT: 'off' });
    expect(await harness.postInvitation('portal', invitation())).toBe(503);
  });
});
