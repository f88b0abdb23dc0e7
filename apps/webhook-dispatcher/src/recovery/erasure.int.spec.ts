import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TransactionNotificationV3 } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { DispatcherHarness } from '../testing/running-dispatcher';
import { silence, WireReceiver } from '../testing/wire-receiver';

const payer: Partial<TransactionNotificationV3> = {
  clientMsisdn: '+27831112222',
  clientContact: {
    firstName: 'Thandi',
    lastName: 'Mokoena',
    emailAddress: 'thandi@example.com',
    phoneNumber: '+27831112222',
    country: 'ZA',
  },
  clientBilling: { line1: 'Long Street 7' },
};
const personal = /27831112222|Thandi|Mokoena|thandi@|Long Street|412345|A B"/;
const merchant = { accountType: 'MERCHANT', ownerId: 1001 } as const;

interface Line {
  transactionId: number;
  dispatcher: string;
  holds: string | null;
}

describe("a payer's data is erased on request, by the operator's command (T-43)", () => {
  let harness: DispatcherHarness;
  let receiver: WireReceiver;
  let folder: string;

  beforeEach(async () => {
    [harness, receiver] = await DispatcherHarness.withReceiver();
    await harness.start();
    folder = mkdtempSync(join(tmpdir(), 'paycode-erasure-'));
    writeFileSync(join(folder, 'operator.token'), harness.operatorToken());
  });
  afterEach(async () => {
    await harness.close();
    rmSync(folder, { recursive: true });
  });

  function paycode(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const url = `webhook-dispatcher=http://127.0.0.1:${harness.services[0]!.ports.internal}`;
    const all = [
      join(__dirname, '../../../operations/src/paycode.ts'),
      '--json',
      '--url',
      url,
      '--token-file',
      join(folder, 'operator.token'),
    ];
    return new Promise(resolve => {
      const env = { ...process.env, PAYCODE_HOME: folder, NODE_OPTIONS: '' };
      execFile(process.execPath, [...all, ...args], { env }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });
  }

  /** The preview, and the code that it asks for. */
  async function preview(...args: string[]): Promise<{ lines: Line[]; confirm: string | undefined }> {
    const { code, out, err } = await paycode('payers', 'preview', ...args);
    if (code !== 0) throw new Error(err);
    const [, confirm] = /--confirm (\w+)/.exec(out) ?? [];
    return { lines: (JSON.parse(out) as { payments: Line[] }).payments, confirm };
  }

  async function pay(transactionId: number, changes: Partial<TransactionNotificationV3>): Promise<void> {
    await harness.publish(harness.terminal(notificationOf(transactionId, changes)));
    await harness.verdict(transactionId);
  }

  const erasures = () =>
    harness.database.dataSource.query<{ id: string; actor: string }[]>(
      'select transaction_id as id, actor from erasure order by transaction_id',
    );

  it('finds by number or address, shows, then erases once; amounts, states and the payments of others stay', async () => {
    await pay(1, payer);
    await pay(2, payer);
    await pay(3, { clientMsisdn: '+27839999999' });
    const before = await harness.timeline(1);
    const other = await harness.stored(3);
    for (const [name, text] of Object.entries({ number: '27 83 111 2222', address: 'THANDI@example.com\n' })) {
      writeFileSync(join(folder, name), text);
      const { lines } = await preview('--payer', join(folder, name));
      expect(lines.map(({ transactionId, dispatcher }) => [transactionId, dispatcher])).toEqual([
        [1, 'ERASABLE'],
        [2, 'ERASABLE'],
      ]);
    }
    expect(personal.test(await harness.stored(1))).toBe(true);
    const { lines, confirm } = await preview('1', '2');
    expect(lines[0]!.holds).toBe('clientMsisdn cardInfo clientContact clientBilling');
    const erased = await paycode('payers', 'erase', '1', '2', '--confirm', confirm!);
    expect([erased.code, erased.out.match(/"ERASED"/g)]).toEqual([0, ['"ERASED"', '"ERASED"']]);
    for (const id of [1, 2]) expect(await harness.stored(id)).not.toMatch(personal);
    const asked = await harness.recover(1, merchant);
    expect([asked.status, asked.data]).toEqual([200, expect.not.stringMatching(personal)]);
    expect(asked.data).toContain('"amount":110.10,');
    expect(JSON.parse(asked.data)).toMatchObject({ transactionId: 1, status: 'SUCCESS', reference: 'order-1' });
    expect([await harness.timeline(1), await harness.stored(3)]).toEqual([before, other]);
    expect(await erasures()).toEqual(
      [1, 2].map(id => ({ id: String(id), actor: expect.stringMatching(/^operator \w/) as string })),
    );

    const stored = await harness.stored(1);
    expect((await paycode('payers', 'erase', '1', '2', '--confirm', confirm!)).code).toBe(0);
    expect([await harness.stored(1), (await erasures()).length]).toEqual([stored, 2]);
  });

  it('an undecided payment and one that changed since it was shown are not erased', async () => {
    await pay(1, payer);
    receiver.answer = silence;
    await harness.publish(harness.terminal(notificationOf(2, payer)));
    await eventually(() => expect(receiver.transactionIds).toContain(2));
    const { lines, confirm } = await preview('1', '2', '9');
    expect(lines.map(({ dispatcher }) => dispatcher)).toEqual(['ERASABLE', 'UNDECIDED', 'UNKNOWN']);
    const refused = await paycode('payers', 'erase', '1', '--confirm', confirm!);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Preview them again')]);
    expect(await harness.stored(1)).toMatch(personal);
    expect((await paycode('payers', 'erase', '1', '2', '9', '--confirm', confirm!)).code).toBe(0);
    expect(await harness.stored(1)).not.toMatch(personal);
    expect(await harness.stored(2)).toMatch(personal);
    expect((await erasures()).map(({ id }) => id)).toEqual(['1']);
  });

  it('nobody can rewrite the record of erasures, and the calls accept only ids and payers', async () => {
    await pay(1, payer);
    const { confirm } = await preview('1');
    await paycode('payers', 'erase', '1', '--confirm', confirm!);
    const { dataSource } = harness.database;
    for (const sql of [`update erasure set actor = 'x'`, 'delete from erasure', 'truncate erasure'])
      await expect(dataSource.query(sql)).rejects.toThrow('append-only');
    writeFileSync(join(folder, 'nobody'), 'not a contact');
    const refused = await paycode('payers', 'preview', '--payer', join(folder, 'nobody'));
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('payer: must be a phone number or an e-mail address'),
    ]);
    expect((await paycode('payers', 'preview')).err).toContain('name the data to show');
  });
});
