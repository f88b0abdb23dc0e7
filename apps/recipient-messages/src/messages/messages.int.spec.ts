import { randomUUID } from 'node:crypto';
import { topicCatalog, topics } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import { definitionOf, murmur2, toPositive } from '@paycode/events';
import { describeListeners, eventually } from '@paycode/service-runtime/testing';
import { TestAuthority } from '@paycode/safe-http/testing';
import type { RunningService } from '@paycode/service-runtime';
import { RecipientMessagesHarness, tokenKeys } from '../testing/running-recipient-messages';
import { TestSmsc } from '../testing/test-smsc';
import { TestSmtpServer } from '../testing/test-smtp-server';

describe('Email and SMS', () => {
  let harness: RecipientMessagesHarness;
  let authority: TestAuthority;
  let smtp: TestSmtpServer;
  let smsc: TestSmsc;
  let transactionId = 5_000;
  let merchantId = 2_000;

  beforeAll(async () => {
    authority = await TestAuthority.create();
    [harness, smsc] = await Promise.all([RecipientMessagesHarness.open(), TestSmsc.start()]);
    smtp = await TestSmtpServer.start(await authority.issue({ dns: ['localhost'], ips: ['127.0.0.1'] }));
    const settings = {
      SMTP_URL: `smtp://paycode:relay-password@127.0.0.1:${smtp.port}`,
      EMAIL_FROM: 'notices@paycode.example',
      MESSAGES_CA_FILE: authority.caFile,
      SMS_URL: `smpp://paycode:smsc-pw@127.0.0.1:${smsc.port}`,
    };
    await harness.start(settings, { triesMax: 3, firstWaitMs: 20 });
  });
  beforeEach(() => {
    transactionId += 1;
    merchantId += 1;
  });
  afterAll(async () => {
    await harness.close();
    await Promise.all([smtp.stop(), smsc.stop()]);
    authority.remove();
  });

  const email = () => `ops-${merchantId}@shop.example`;
  const msisdn = () => `2782000${merchantId}`;
  const recipients = (which: { EMAIL?: boolean; SMS?: boolean }) =>
    harness.neighbour.recipients.set(merchantId, {
      EMAIL: which.EMAIL ? [email()] : [],
      SMS: which.SMS ? [msisdn()] : [],
    });
  const publish = () => harness.publish(harness.terminal(notificationOf(transactionId, { merchantId })));
  const rows = () => harness.messagesOf(transactionId);
  const smsTo = (number: string) => smsc.messages.filter(({ to }) => to === number);

  it('an alert goes by SMTP to the person whom auth-session asserts, once, and its mail program can end such mails (T-25, T-27)', async () => {
    const alert = { kind: 'REVERSED', merchantId: 1001, payments: 2, sinceAt: '2026-11-27T14:05:00.000Z' };
    const body = {
      ...alert,
      sums: [{ currencyCode: 'ZAR', amount: '25.0' }],
      email: 'thief@shop.example',
      link: 'https://thief.example/',
    };
    const secret = 'a'.repeat(43);
    const assertion = tokenKeys.invitationAssertion({ email: 'owner@shop.example', secret }, 'ALERTED');
    for (let time = 0; time < 2; time++) expect(await harness.post('portal', 'alerts', { body, assertion })).toBe(204);
    await eventually(() => expect(smtp.mailsTo('owner@shop.example')).toHaveLength(1));
    const { source } = smtp.mailsTo('owner@shop.example')[0]!;
    const unfolded = source.replace(/\r\n[ \t]/g, ' ');
    expect(unfolded).toContain('Subject: 2 payments were reversed since 14:05 UTC');
    expect(unfolded).toMatch(new RegExp(`List-Unsubscribe: <https://pay.example/console/api/alerts/stop/${secret}>`));
    expect(unfolded).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(source).toContain(`https://pay.example/console/alerts/stop#${secret}`);
    expect(source).not.toContain('thief');
    const stored = () =>
      harness.database.dataSource.query('select recipient, alert from recipient_message where alert is not null');
    await eventually(async () => expect(await stored()).toEqual([]));
  });

  it('a sign-in from a new device is mailed with time, browser and address range, and no mail program ends such mails (T-25)', async () => {
    const device = { browser: 'Firefox', system: 'Windows', addressStart: '203.0.113' };
    const body = { kind: 'NEW_DEVICE', merchantId: null, payments: 0, sinceAt: '2026-11-27T14:05:00.000Z', sums: [], device };
    const assertion = tokenKeys.invitationAssertion({ email: 'signed-in@shop.example', tenantType: 'OPERATOR' }, 'ALERTED');
    expect(await harness.post('portal', 'alerts', { body, assertion })).toBe(204);
    for (const wrong of [{ browser: 'your bank' }, { addressStart: 'x.example' }]) {
      const refused = { ...body, device: { ...device, ...wrong } };
      expect(await harness.post('portal', 'alerts', { body: refused, assertion })).toBe(400);
    }
    await eventually(() => expect(smtp.mailsTo('signed-in@shop.example')).toHaveLength(1));
    const source = smtp.mailsTo('signed-in@shop.example')[0]!.source.replace(/=?\r\n[ \t]?/g, ' ');
    expect(source).toContain('Subject: New sign-in to your Paycode account');
    expect(source).toContain('https://pay.example/console/security');
    expect(source).not.toMatch(/List-Unsubscribe|alerts\/stop/);
  });

  it('a statement goes by SMTP with its sums, a link to its page and one that ends such mails, and with nothing else (T-25)', async () => {
    const part = (count: number, amount: string) => ({ count, amount });
    const sums = {
      currencyCode: 'INR',
      paid: part(2, '30.35'),
      settled: part(1, '10.10'),
      reversed: part(0, '0.00'),
      waiting: part(1, '20.25'),
      refunded: part(0, '0.00'),
      tips: '0.50',
    };
    const statement = { period: '2026-11-27', timeZone: 'Asia/Kolkata', totals: [{ ...sums, payer: 'Thandi' }] };
    const body = {
      kind: 'STATEMENT',
      merchantId: null,
      payments: 2,
      sinceAt: '2026-11-28T00:31:00.000Z',
      sums: [],
      statement,
    };
    const secret = 's'.repeat(43);
    const assertion = tokenKeys.invitationAssertion({ email: 'accountant@shop.example', secret }, 'ALERTED');
    for (const wrong of [
      undefined,
      { ...statement, period: '2026-02-31' },
      { ...statement, timeZone: 'Asia/Kolkata, your bank' },
      { ...statement, totals: [{ ...sums, settled: { count: 1, amount: 'much' } }] },
      { ...statement, totals: Array.from({ length: 201 }, () => sums) },
    ])
      expect(await harness.post('portal', 'alerts', { body: { ...body, statement: wrong }, assertion })).toBe(400);
    smtp.temporaryFailures = 1;
    for (let time = 0; time < 2; time++) expect(await harness.post('portal', 'alerts', { body, assertion })).toBe(204);
    await eventually(() => expect(smtp.mailsTo('accountant@shop.example')).toHaveLength(1));
    const { source } = smtp.mailsTo('accountant@shop.example')[0]!;
    const unfolded = source.replace(/\r\n[ \t]/g, ' ');
    expect(unfolded).toMatch(/Subject: Statement for 27 November 2026, merchant \d+/);
    const text = ['Paid: INR 30.35 (2)', 'Settled: INR 10.10 (1)', 'Waiting: INR 20.25 (1)', 'Tips: INR 0.50'];
    const links = ['statements?period=2026-11-27&timeZone=Asia%2FKolkata', `alerts/stop#${secret}`];
    const shown = smtp.shownTo('accountant@shop.example')[0]!.replaceAll('\u00a0', ' ');
    for (const each of [...text, ...links]) expect(shown).toContain(each);
    expect(unfolded).toContain(`List-Unsubscribe: <https://pay.example/console/api/alerts/stop/${secret}>`);
    expect(source).not.toContain('Thandi');
  });

  it.each([
    ['es', 'Su servidor vuelve a funcionar', '15:05 CET', '<html lang="es">'],
    ['ar', 'عاد خادمك إلى العمل', '03:05 م', '<html lang="ar" dir="rtl">'],
    ['en', 'Your server works again', '15:05 CET', '<html lang="en">'],
    [null, 'Your server works again', '14:05 UTC', '<html lang="en">'],
  ] as const)('a mail to a person who reads %s is in that language, or else in English (A-96)', async (language, ...words) => {
    const timeZone = language && 'Europe/Madrid';
    const to = `reads-${language}@shop.example`;
    const body = { kind: 'RECEIVER_WORKS', merchantId: 1001, payments: 0, sinceAt: '2026-11-27T14:05:00.000Z', sums: [] };
    const assertion = tokenKeys.invitationAssertion({ email: to, language, timeZone }, 'ALERTED');
    expect(await harness.post('portal', 'alerts', { body, assertion })).toBe(204);
    const notice = { ...noticeOf(merchantId, ''), to: [{ email: `owner-${to}`, language, timeZone }] };
    expect(await harness.postNotices('notification-config', [notice])).toBe(204);
    const [subject, time, html] = words as [string, string, string];
    await eventually(() => expect(smtp.shownTo(to)).toHaveLength(1));
    for (const part of [`Subject: ${subject}`, time, html]) expect(smtp.shownTo(to)[0]).toContain(part);
    await eventually(() => expect(smtp.shownTo(`owner-${to}`)).toEqual([expect.stringContaining(html)]));
  });

  it('an invitation is in the language of the person, else of whoever invites; each second person is asked in the own one (A-96)', async () => {
    const inviter = { reason: 'INVITED', language: 'ar', timeZone: 'Asia/Riyadh' };
    const invitedWith = async (to: string, language: 'es' | null) => {
      const assertion = tokenKeys.invitationAssertion({ invitationId: randomUUID(), email: to, language });
      expect(await harness.post('portal', 'invitations', { body: inviter, assertion })).toBe(204);
      await eventually(() => expect(smtp.shownTo(to)).toHaveLength(1));
      return smtp.shownTo(to)[0];
    };
    expect(await invitedWith('known@shop.example', 'es')).toContain(
      'Subject: Su invitación al portal de Paycode para el comercio 1001',
    );
    expect(await invitedWith('unknown@shop.example', null)).toContain('قبل \u20681 يناير 2030 في 01:00 م');
    const to = (['es', 'ar'] as const).map(language => ({ email: `${language}@shop.example`, name: 'Ann', language }));
    const body = { requestId: randomUUID(), kind: 'BEARER_SWITCH', to, expiresAt: '2030-01-01T10:00:00.000Z' };
    expect(await harness.post('portal', 'four-eyes', { body })).toBe(204);
    await eventually(() =>
      expect(smtp.shownTo('es@shop.example')).toEqual([expect.stringContaining('el cambio de su cuenta de API')]),
    );
    await eventually(() => expect(smtp.shownTo('ar@shop.example')).toEqual([expect.stringContaining('تحويل حساب API')]));
    const unknown = { ...body, to: [{ ...to[0]!, language: 'xx' }] };
    expect(await harness.post('portal', 'four-eyes', { body: unknown })).toBe(400);
  });

  it.each(['INVITED', undefined] as const)(
    'an alert is not mailed by the key of the portal with an assertion of another kind: %s (T-27)',
    async demand => {
      const assertion = demand ? tokenKeys.invitationAssertion({}, demand) : tokenKeys.personAssertion();
      const body = { kind: 'REVERSED', merchantId: null, payments: 2, sinceAt: '2026-11-27T14:05:00.000Z', sums: [] };
      expect(await harness.post('portal', 'alerts', { body, assertion })).toBe(401);
      const alerted = tokenKeys.invitationAssertion({}, 'ALERTED');
      expect(await harness.post('notification-config', 'alerts', { body, assertion: alerted })).toBe(403);
      for (const wrong of [
        { kind: 'ALL' },
        { payments: -1 },
        { sinceAt: 'now' },
        { sums: [{ currencyCode: 'ZAR', amount: 'much' }] },
      ])
        expect([wrong, await harness.post('portal', 'alerts', { body: { ...body, ...wrong }, assertion: alerted })]).toEqual([
          wrong,
          400,
        ]);
    },
  );

  it.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])('EMAIL %s, SMS %s: each configured channel is served, no other (R-6.2-4)', async (EMAIL, SMS) => {
    recipients({ EMAIL, SMS });
    const next = nextOfPartition(transactionId);
    harness.neighbour.recipients.set(90_000, { EMAIL: ['next@shop.example'] });
    await harness.publish(
      ...[notificationOf(transactionId, { merchantId }), notificationOf(next, { merchantId: 90_000 })].map(each =>
        harness.terminal(each),
      ),
    );
    // The service reads this event after the event under test, whose messages are in the table by then.
    await eventually(async () => expect(await harness.messagesOf(next)).toHaveLength(1));
    expect((await rows()).map(({ channel }) => channel)).toEqual([...(EMAIL ? ['EMAIL'] : []), ...(SMS ? ['SMS'] : [])]);
    await eventually(() => expect([smtp.mailsTo(email()).length, smsTo(msisdn()).length]).toEqual([EMAIL ? 1 : 0, SMS ? 1 : 0]));
  });

  it('each of several recipients of a channel gets one message (R-6.2-3)', async () => {
    const emails = [email(), `second-${email()}`];
    harness.neighbour.recipients.set(merchantId, { EMAIL: emails });
    await publish();
    await eventually(async () => expect((await rows()).map(({ state }) => state)).toEqual(['SENT', 'SENT']));
    expect(emails.map(address => smtp.mailsTo(address).length)).toEqual([1, 1]);
  });

  it('sends the summary over TLS, and an SMS in the default alphabet; addresses and payloads are forgotten afterwards (R-0-12)', async () => {
    recipients({ EMAIL: true, SMS: true });
    await publish();
    const mail = await eventually(() => smtp.mailsTo(email())[0] ?? Promise.reject(new Error('no mail yet')));
    const sms = await eventually(() => smsTo(msisdn())[0] ?? Promise.reject(new Error('no SMS yet')));
    expect(mail.isEncrypted).toBe(true);
    expect(mail.source).toContain(`Subject: Payment received: ZAR 110.10, transaction ${transactionId}`);
    expect(mail.source).toMatch(/From: Paycode <notices@paycode.example>/);
    expect(mail.source).not.toMatch(/400000|27820000001|A EXAMPLE/);
    expect(sms).toEqual({
      to: msisdn(),
      from: 'Paycode',
      coding: 0,
      text: `Corner Shop: Payment received, ZAR 110.10. Ref order-${transactionId}. Tx ${transactionId}`,
    });
    await eventually(async () =>
      expect(await rows()).toMatchObject([
        { recipient: '', notification: null },
        { recipient: '', notification: null },
      ]),
    );
  });

  it('an event that comes again sends nothing again (P-I10)', async () => {
    recipients({ EMAIL: true });
    await publish();
    await publish();
    await eventually(async () => expect(await rows()).toMatchObject([{ state: 'SENT' }]));
    await publish();
    transactionId += 1;
    await publish();
    await eventually(async () => expect(await rows()).toMatchObject([{ state: 'SENT' }]));
    expect(smtp.mailsTo(email())).toHaveLength(2);
  });

  it('a message that is refused for good is given up at once; one refused for now is tried again (R-6.2-3)', async () => {
    recipients({ EMAIL: true, SMS: true });
    smtp.refused.add(email());
    await smsc.answerNext(0x58, 'drop');
    await publish();
    await eventually(async () =>
      expect(await rows()).toMatchObject([
        { state: 'FAILED', tries: 1 },
        { state: 'SENT', tries: 3 },
      ]),
    );
    expect(smsTo(msisdn())).toHaveLength(1);
  });

  it('gives up after its tries', async () => {
    recipients({ EMAIL: true });
    smtp.temporaryFailures = 3;
    await publish();
    await eventually(async () => expect(await rows()).toMatchObject([{ state: 'FAILED', tries: 3 }]));
    expect(smtp.mailsTo(email())).toEqual([]);
  });

  describe('messages of a merchant that cannot be stored (T-29)', () => {
    const merchants = () => [0, 1, 2, 3].map(n => merchantId + n);
    beforeEach(async () => {
      for (const id of merchants()) harness.neighbour.recipients.set(id, { EMAIL: [`ops-${id}@shop.example`] });
      await harness.database.dataSource.query(
        `alter table recipient_message add constraint refused check (merchant_id <> ${merchantId + 2})`,
      );
    });
    afterEach(async () => {
      await harness.database.dataSource.query('alter table recipient_message drop constraint refused');
      merchantId += 4;
      transactionId += 4;
    });
    const mailed = () => merchants().map(id => smtp.mailsTo(`ops-${id}@shop.example`).length);

    it('their event is parked, and the other merchants are notified', async () => {
      const events = merchants().map((id, n) => harness.terminal(notificationOf(transactionId + n, { merchantId: id })));
      await harness.publish(...events);
      await eventually(() => expect(mailed()).toEqual([1, 1, 0, 1]));
      await eventually(async () => {
        const parked = await harness.events.dataSource.query<{ key: string }[]>(
          `select key from event_records() where topic like '%.recipient-messages.dlq'`,
        );
        expect(parked.map(({ key }) => key)).toEqual([String(transactionId + 2)]);
      });
    });

    it('a call with such a change notice is refused as bad data, so that the caller finds out which', async () => {
      const notices = merchants().map(id => noticeOf(id, `ops-${id}@shop.example`));
      expect(await harness.postNotices('notification-config', notices)).toBe(400);
      expect(await Promise.all(notices.map(notice => harness.postNotices('notification-config', [notice])))).toEqual([
        204, 204, 400, 204,
      ]);
      await eventually(() => expect(mailed()).toEqual([1, 1, 0, 1]));
    });
  });

  const noticeOf = (id: number, to: string) => ({
    noticeId: `00000000-0000-4000-8000-00000000${id}`,
    merchantId: id,
    kind: 'KEY_CHANGED',
    to: [{ email: to }],
    actor: 'psp-1',
    occurredAt: '2025-06-01T10:00:00.000Z',
  });

  it('change notices of notification-config are mailed, once, and other callers are refused (T-15)', async () => {
    const notice = noticeOf(merchantId, email());
    expect(await harness.postNotices('payment-simulator', [notice])).toBe(403);
    expect(
      await harness.postNotices('notification-config', [{ ...notice, to: [{ email: 'a@b.example\r\nBcc: c@d.example' }] }]),
    ).toBe(400);
    expect(await harness.postNotices('notification-config', [notice])).toBe(204);
    expect(await harness.postNotices('notification-config', [notice])).toBe(204);
    await eventually(() => expect(smtp.mailsTo(email())).toHaveLength(1));
    expect(smtp.mailsTo(email())[0]!.source).toContain('The notification key was renewed');
  });
});

/** The next id whose events go to the same partition as those of `transactionId`, and so come after them. */
function nextOfPartition(transactionId: number): number {
  const { partitions } = definitionOf(topics.transactionTerminal, topicCatalog);
  const partitionOf = (id: number) => toPositive(murmur2(String(id))) % partitions;
  let next = transactionId + 10_000;
  while (partitionOf(next) !== partitionOf(transactionId)) next += 1;
  return next;
}

describe('listeners of recipient-messages', () => {
  let harness: RecipientMessagesHarness;
  let service: RunningService;
  beforeAll(async () => {
    harness = await RecipientMessagesHarness.open();
    service = await harness.start();
  });
  afterAll(() => harness.close());

  describeListeners(() => service);
});
