import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notificationOf } from '@paycode/dto/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { RecipientMessagesHarness } from '../testing/running-recipient-messages';
import { TestSmtpServer } from '../testing/test-smtp-server';

interface Line {
  transactionId: number;
  messages: string;
  holds: string | null;
}

const payer = '+27831112222';

describe("a payer's data is erased from messages that wait, by the operator's command (T-43)", () => {
  let harness: RecipientMessagesHarness;
  let smtp: TestSmtpServer;
  let dispatcher: Server;
  let folder: string;

  beforeAll(async () => {
    [harness, smtp, dispatcher] = await Promise.all([
      RecipientMessagesHarness.open(),
      TestSmtpServer.start(),
      dispatcherThatKnowsNothing(),
    ]);
    await harness.start({ SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off` }, { firstWaitMs: 3_600_000 });
    folder = mkdtempSync(join(tmpdir(), 'paycode-erasure-'));
    writeFileSync(join(folder, 'operator.token'), harness.operatorToken());
    writeFileSync(join(folder, 'payer'), payer);
  });
  afterAll(async () => {
    await harness.close();
    await smtp.stop();
    dispatcher.closeAllConnections();
    await new Promise(resolve => dispatcher.close(resolve));
    rmSync(folder, { recursive: true });
  });

  function paycode(...args: string[]): Promise<string> {
    const urls = {
      'webhook-dispatcher': `http://127.0.0.1:${(dispatcher.address() as AddressInfo).port}`,
      'recipient-messages': harness.url,
    };
    const options = Object.entries(urls).flatMap(([service, url]) => ['--url', `${service}=${url}`]);
    const all = [
      join(__dirname, '../../../operations/src/paycode.ts'),
      '--json',
      ...options,
      '--token-file',
      join(folder, 'operator.token'),
    ];
    const env = { ...process.env, PAYCODE_HOME: folder, NODE_OPTIONS: '' };
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [...all, ...args], { env }, (error, out, err) =>
        error ? reject(new Error(err)) : resolve(out),
      );
    });
  }

  async function preview(...args: string[]): Promise<{ lines: Line[]; confirm: string | undefined }> {
    const out = await paycode('payers', 'preview', ...args);
    const [, confirm] = /--confirm (\w+)/.exec(out) ?? [];
    return { lines: (JSON.parse(out) as { payments: Line[] }).payments, confirm };
  }

  it('from the messages to every recipient, which are still sent; a message about another payer keeps its data', async () => {
    // Put off by the server once each: the messages wait for a quarter of an hour at least.
    smtp.temporaryFailures = 3;
    // The service gives this message up at once, so it holds no personal data any more.
    smtp.refused.add('gone@shop.example');
    harness.neighbour.recipients.set(1_001, { EMAIL: ['a@shop.example', 'b@shop.example', 'gone@shop.example'] });
    harness.neighbour.recipients.set(1_002, { EMAIL: ['c@shop.example'] });
    await harness.publish(
      harness.terminal(notificationOf(1, { clientMsisdn: payer })),
      harness.terminal(notificationOf(2, { merchantId: 1_002, clientMsisdn: '+27839999999' })),
    );
    const messages = async () => [...(await harness.messagesOf(1)), ...(await harness.messagesOf(2))];
    const waiting = async () => (await messages()).filter(({ state }) => state === 'PENDING');
    await eventually(async () => expect((await messages()).filter(({ state }) => state === 'FAILED')).toHaveLength(1));
    await eventually(async () => expect((await waiting()).map(({ tries }) => tries)).toEqual([1, 1, 1]));
    expect((await waiting()).map(row => harness.opened(row).includes(payer))).toEqual([true, true, false]);

    const { lines, confirm } = await preview('--payer', join(folder, 'payer'));
    expect(lines).toMatchObject([
      { transactionId: 1, messages: 'ERASABLE', holds: expect.stringContaining('clientMsisdn') as string },
    ]);
    expect(await paycode('payers', 'erase', '1', '--confirm', confirm!)).toContain('"ERASED"');
    const opened = (await waiting()).map(row => harness.opened(row));
    expect(opened.map(text => /27831112222|A EXAMPLE|400000/.test(text))).toEqual([false, false, true]);
    const { dataSource } = harness.database;
    expect(await dataSource.query('select transaction_id as id from erasure')).toEqual([{ id: '1' }]);

    await dataSource.query('update recipient_message set due_at = clock_timestamp()');
    await eventually(() =>
      expect(smtp.mails.flatMap(({ to }) => to).sort()).toEqual(['a@shop.example', 'b@shop.example', 'c@shop.example']),
    );
    await eventually(async () => expect((await preview('1')).lines).toMatchObject([{ messages: 'UNKNOWN' }]));
  });
});

/** A dispatcher that has dropped every delivery. */
async function dispatcherThatKnowsNothing(): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { transactionIds = [] } = JSON.parse(body) as { transactionIds?: number[] };
      const unknown = { state: 'UNKNOWN', merchantId: null, storedAt: null, holds: [], relatedIds: [] };
      const items = transactionIds.map(transactionId => ({ transactionId, ...unknown }));
      const page = { transactionIds: [], looked: 0, nextAfterId: null };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.url === '/internal/erasures/search' ? page : items));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}
