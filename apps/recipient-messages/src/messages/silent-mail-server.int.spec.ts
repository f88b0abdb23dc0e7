import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notificationOf } from '@paycode/dto/testing';
import { register } from 'prom-client';
import { RawReceiver } from '@paycode/safe-http/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { RecipientMessagesHarness } from '../testing/running-recipient-messages';

describe('a mail server that accepts connections and never answers', () => {
  let harness: RecipientMessagesHarness;
  let silent: RawReceiver;
  const folder = mkdtempSync(join(tmpdir(), 'paycode-outbox-'));

  beforeAll(async () => {
    [harness, silent] = await Promise.all([RecipientMessagesHarness.open(), RawReceiver.start(() => undefined)]);
    const smtp = { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(silent.port), SMTP_SECURITY: 'none' };
    await harness.start({ ...smtp, SMS_TRANSPORT: 'folder', OUTBOX_FOLDER: folder });
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
