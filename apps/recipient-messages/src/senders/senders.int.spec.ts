import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { answering, RawReceiver, TestAuthority } from '@paycode/safe-http/testing';
import { notificationOf } from '@paycode/dto/testing';
import { register } from 'prom-client';
import { env, senderOptionsOf } from '../config/env';
import { TestSmsc } from '../testing/test-smsc';
import { TestSmtpServer } from '../testing/test-smtp-server';
import { SendError } from './message.sender';
import { emailSenderOf, type SenderOptions, smsSenderOf } from './senders';
import { RecipientMessagesHarness } from '../testing/running-recipient-messages';

const required = {
  DATABASE_URL: 'x', EVENTS_DATABASE_URL: 'x', PAYLOAD_KEYS: 'x', KEY_ENCRYPTION_KEYS: 'x',
  SERVICE_TOKEN_PRIVATE_KEY_FILE: 'x', SERVICE_TOKEN_PUBLIC_KEYS_FILE: 'x', OPERATOR_TOKEN_PUBLIC_KEYS_FILE: 'x',
}; // prettier-ignore
const settings = (over: Record<string, string>): SenderOptions => senderOptionsOf(env.read({ ...required, ...over }));
const email = { recipient: 'ops@shop.example', reference: '42', text: { subject: 'S', text: 'T', html: '<p>H</p>' } };
const sms = { recipient: '+27821234567', reference: '43', text: 'Hello' };

async function failureOf(sending: Promise<void> | undefined): Promise<Pick<SendError, 'code' | 'isPermanent'>> {
  const error: unknown = await sending?.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SendError)) throw new Error('it was sent');
  expect(JSON.stringify(error) + error.message).not.toMatch(/shop\.example|27821234567/);
  return { code: error.code, isPermanent: error.isPermanent };
}

describe('transports of messages', () => {
  const later = undoneAfterEach();

  it('follow the settings: the configured transport, else the folder, else none', () => {
    expect([emailSenderOf(settings({})), smsSenderOf(settings({}))]).toEqual([undefined, undefined]);
    const names = (over: Record<string, string>) =>
      [emailSenderOf(settings(over)), smsSenderOf(settings(over))].map(sender => sender?.constructor.name);
    expect(names({ OUTBOX_FOLDER: '/x' })).toEqual(['FolderEmailSender', 'FolderSmsSender']);
    expect(names({ OUTBOX_FOLDER: '/x', SMTP_URL: 'smtp://h', SMS_URL: 'http://h' })).toEqual([
      'SmtpEmailSender',
      'HttpGatewaySender',
    ]);
    expect(names({ SMS_URL: 'smpps://h' })).toEqual([undefined, 'SmppSmsSender']);
  });

  it('the URL of another kind of server is refused, and is not shown, because it holds a password', () => {
    const other = 'imap://a:secret@h';
    expect(() => emailSenderOf(settings({ SMTP_URL: other }))).toThrow(/^SMTP_URL must begin with smtp: or smtps:$/);
    expect(() => smsSenderOf(settings({ SMS_URL: other }))).toThrow(/^SMS_URL must begin with smpp:, smpps:, http: or https:$/);
  });

  describe('folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'paycode-outbox-'));
    afterAll(() => rmSync(folder, { recursive: true }));

    it('holds complete files that only their owner can read', async () => {
      await emailSenderOf(settings({ OUTBOX_FOLDER: folder }))!.send(email);
      await smsSenderOf(settings({ OUTBOX_FOLDER: folder }))!.send(sms);
      expect([readdirSync(join(folder, 'email')), readdirSync(join(folder, 'sms'))]).toEqual([['42.eml'], ['43.txt']]);
      const mail = readFileSync(join(folder, 'email/42.eml'), 'utf8');
      expect(mail).toContain('To: ops@shop.example');
      expect(mail).toContain('<p>H</p>');
      expect(readFileSync(join(folder, 'sms/43.txt'), 'utf8')).toBe('From: Paycode\nTo: +27821234567\n\nHello\n');
      expect(statSync(join(folder, 'sms/43.txt')).mode & 0o077).toBe(0);
    });
  });

  describe('SMTP', () => {
    let authority: TestAuthority;
    let smtp: TestSmtpServer;
    beforeAll(async () => {
      authority = await TestAuthority.create();
      smtp = await TestSmtpServer.start(await authority.issue({ ips: ['127.0.0.1'] }));
    });
    afterAll(async () => {
      await smtp.stop();
      authority.remove();
    });

    const send = async (over: Record<string, string>) => {
      const url = `smtp://127.0.0.1:${smtp.port}`;
      const sender = emailSenderOf(settings({ SMTP_URL: url, MESSAGES_CA_FILE: authority.caFile, ...over }))!;
      return sender.send(email).finally(() => sender.close());
    };

    it('sends over TLS only, and only to a trusted server (T-13)', async () => {
      await send({});
      expect(smtp.mails).toMatchObject([{ to: ['ops@shop.example'], isEncrypted: true }]);
      await expect(failureOf(send({ MESSAGES_CA_FILE: '' }))).resolves.toMatchObject({ isPermanent: false });
      const plain = await TestSmtpServer.start();
      later(() => plain.stop());
      await expect(failureOf(send({ SMTP_URL: `smtp://127.0.0.1:${plain.port}` }))).resolves.toMatchObject({
        isPermanent: false,
      });
      expect([smtp.mails.length, plain.mails.length]).toEqual([1, 0]);
    });

    it('a refused login or an unreachable server does not count against the message', async () => {
      const wrong = `smtp://paycode:wrong@127.0.0.1:${smtp.port}`;
      await expect(failureOf(send({ SMTP_URL: wrong }))).resolves.toMatchObject({ isPermanent: false });
      await expect(failureOf(send({ SMTP_URL: 'smtp://127.0.0.1:1' }))).resolves.toEqual({
        code: 'SMTP ESOCKET',
        isPermanent: false,
      });
    });

    it('a refused mailbox is final', async () => {
      smtp.refused.add('ops@shop.example');
      await expect(failureOf(send({}))).resolves.toEqual({ code: 'SMTP 550', isPermanent: true });
    });
  });

  describe('SMPP', () => {
    let smsc: TestSmsc;
    beforeAll(async () => {
      smsc = await TestSmsc.start();
    });
    afterAll(() => smsc.stop());

    const sender = (password = 'smsc-pw') => {
      const made = smsSenderOf(settings({ SMS_URL: `smpp://paycode:${password}@127.0.0.1:${smsc.port}` }))!;
      later(() => made.close());
      return made;
    };

    it('one bound session carries many messages, and a lost session is replaced', async () => {
      const smpp = sender();
      await Promise.all([smpp.send(sms), smpp.send({ ...sms, text: 'Grüße €' })]);
      await smsc.answerNext('drop');
      await expect(failureOf(smpp.send(sms))).resolves.toMatchObject({ isPermanent: false });
      await smpp.send({ ...sms, text: 'again' });
      // The SMSC tells of its messages from its own process.
      await eventually(() => expect(smsc.messages.map(({ text }) => text)).toEqual(['Hello', 'Grüße €', 'again']));
      expect(smsc.messages[0]).toMatchObject({ to: '27821234567', coding: 0 });
    });

    it('throttling is temporary, a wrong number is final, a refused bind does not count against the message', async () => {
      const smpp = sender();
      await smsc.answerNext(0x58, 0x0b);
      await expect(failureOf(smpp.send(sms))).resolves.toEqual({ code: 'SMPP 0x58', isPermanent: false });
      await expect(failureOf(smpp.send(sms))).resolves.toEqual({ code: 'SMPP 0xb', isPermanent: true });
      const stranger = sender('wrong');
      await expect(failureOf(stranger.send(sms))).resolves.toMatchObject({ isPermanent: false });
    });
  });

  describe('SMPP over TLS', () => {
    let authority: TestAuthority;
    let smsc: TestSmsc;
    beforeAll(async () => {
      authority = await TestAuthority.create();
      smsc = await TestSmsc.start(await authority.issue({ ips: ['127.0.0.1'] }));
    });
    afterAll(async () => {
      await smsc.stop();
      authority.remove();
    });

    it('binds over TLS, and only at a trusted server (T-13)', async () => {
      const address = { SMS_URL: `smpps://paycode:smsc-pw@127.0.0.1:${smsc.port}` };
      const trusting = smsSenderOf(settings({ ...address, MESSAGES_CA_FILE: authority.caFile }))!;
      later(() => trusting.close());
      await trusting.send(sms);
      const strict = smsSenderOf(settings(address))!;
      later(() => strict.close());
      await expect(failureOf(strict.send(sms))).resolves.toMatchObject({ isPermanent: false });
      await eventually(() => expect(smsc.messages).toHaveLength(1));
    });
  });

  describe('HTTP gateway', () => {
    it.each([
      [200, null],
      [429, { code: 'SMS GATEWAY 429', isPermanent: false }],
      [503, { code: 'SMS GATEWAY 503', isPermanent: false }],
      [400, { code: 'SMS GATEWAY 400', isPermanent: true }],
      [302, { code: 'SMS GATEWAY 302', isPermanent: false }],
    ])('answer %d', async (status, failure) => {
      const gateway = await RawReceiver.start(answering(status));
      later(() => gateway.stop());
      const http = smsSenderOf(settings({ SMS_URL: `http://:gateway-token@127.0.0.1:${gateway.port}/send` }))!;
      later(() => http.close());
      if (failure) await expect(failureOf(http.send(sms))).resolves.toEqual(failure);
      else await http.send(sms);
      const [head, body] = gateway.received.join('').split('\r\n\r\n');
      expect(head).toContain('Bearer gateway-token');
      expect(JSON.parse(body!)).toEqual({ from: 'Paycode', to: '+27821234567', text: 'Hello', reference: '43' });
    });
  });
});

describe('a mail server that accepts connections and never answers', () => {
  let harness: RecipientMessagesHarness;
  let silent: RawReceiver;
  const folder = mkdtempSync(join(tmpdir(), 'paycode-outbox-'));

  beforeAll(async () => {
    [harness, silent] = await Promise.all([RecipientMessagesHarness.open(), RawReceiver.start(() => undefined)]);
    await harness.start({ SMTP_URL: `smtp://127.0.0.1:${silent.port}?tls=off`, OUTBOX_FOLDER: folder });
  });
  afterAll(async () => {
    await silent.stop();
    await harness.close();
    rmSync(folder, { recursive: true });
  });

  it('delays no short message; every e-mail waits and is counted (R-6.2-3)', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => 9_000 + i);
    harness.neighbour.recipients.set(1_001, { EMAIL: ['ops@shop.example'], SMS: ['27820001001'] });
    await harness.publish(...ids.map(id => harness.terminal(notificationOf(id))));
    await eventually(() => expect(readdirSync(join(folder, 'sms'))).toHaveLength(ids.length));
    await eventually(() => expect(silent.connections).toBeGreaterThan(0));
    const waiting = async () => {
      const rows = await Promise.all(ids.map(id => harness.messagesOf(id)));
      return rows.map(([email]) => `${email!.channel} ${email!.state}`);
    };
    expect(await waiting()).toEqual(ids.map(() => 'EMAIL PENDING'));
    expect(await register.metrics()).toContain(`paycode_recipient_messages_waiting{channel="EMAIL"} ${ids.length}`);
  });
});
