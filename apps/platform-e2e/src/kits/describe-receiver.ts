import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { importWebhookKey, webhookKeyId } from '@paycode/crypto';
import { eventually } from '@paycode/service-runtime/testing';
import { allFields, KitProcess, type KitProcessOptions, notification, sealed } from './kit-process';
import type { KitUnderTest } from './receiver-kit';

const money = { amount: 25.5, reference: 'order-1' };

export function describeReceiver(underTest: KitUnderTest): void {
  const { kit, program, folder } = underTest;
  const [adapter] = kit.adapters;
  const start = (options: Partial<KitProcessOptions> = {}) =>
    KitProcess.start({ program: program(), folder: folder(), adapter: adapter!, ...options });

  describe('a receiver whose answer waits for the handler', () => {
    let receiver: KitProcess;
    let key: string;
    beforeAll(async () => {
      receiver = await start();
      key = receiver.addKey();
    });
    afterAll(() => receiver?.stop());
    const handled = (transactionId: number) => receiver.said(`handled ${transactionId} `).length;
    /** The receiver's output may arrive after its answer. */
    const isHandledOnce = (transactionId: number) => eventually(() => expect(handled(transactionId)).toBe(1));

    it('handles a notification once, however often it comes (R-6.2-5)', async () => {
      const { transactionId, text } = notification(money);
      const bodies = [sealed(text, key), sealed(text, key)];
      const answers = await Promise.all([...bodies, ...bodies].map(body => receiver.post(body)));
      expect(answers.toSorted()).toEqual(['200 HANDLED', '200 REPEAT', '200 REPEAT', '200 REPEAT']);
      expect(await receiver.post(bodies[0]!)).toBe('200 REPEAT');
      await isHandledOnce(transactionId);
    });

    it('refuses a body that it cannot open, and handles the next one (R-6.2-7)', async () => {
      const { transactionId, text } = notification(money);
      expect(await receiver.post(sealed(text, '00'.repeat(16)))).toBe('400 NOT_AUTHENTIC');
      expect(await receiver.post('AAAA')).toBe('400 TOO_SHORT');
      expect(await receiver.post('{}')).toBe('400 BAD_ENCODING');
      expect(await receiver.post('A'.repeat(200_000))).toBe('413 TOO_LONG');
      expect(handled(transactionId)).toBe(0);
      expect(await receiver.post(sealed(text, key))).toBe('200 HANDLED');
    });

    it('answers a test notification without handling it, and handles a payment with a forged test header', async () => {
      const header = { 'X-Webhook-Test': '1' };
      const test = notification({ amount: 0, reference: 'TEST-1' });
      expect(await receiver.post(sealed(test.text, key), header)).toBe('200 TEST');
      expect(handled(test.transactionId)).toBe(0);
      const paid = notification({ amount: 25.5, reference: 'TEST-2' });
      expect(await receiver.post(sealed(paid.text, key), header)).toBe('200 HANDLED');
      await isHandledOnce(paid.transactionId);
    });

    it('a SUCCESS after a REVERSED never wins, whether it is new or a repeat (T-22)', async () => {
      const early = notification(money);
      const late = notification(money);
      const reversalOf = (referenceTransactionId: number) =>
        notification({ ...money, status: 'REVERSED', referenceTransactionId });
      expect(await receiver.post(sealed(early.text, key))).toBe('200 HANDLED');
      for (const { transactionId } of [early, late])
        expect(await receiver.post(sealed(reversalOf(transactionId).text, key))).toBe('200 HANDLED');
      for (const { text } of [early, late]) expect(await receiver.post(sealed(text, key))).toBe('409 REVERSED');
      await isHandledOnce(early.transactionId);
      expect(handled(late.transactionId)).toBe(0);
    });

    it('takes the old key and the new one during a renewal, whichever of them the header names (R-4.3-10)', async () => {
      const keys = [key, (key = receiver.addKey())];
      expect(await receiver.post(sealed(notification(money).text, keys[0]!))).toBe('200 HANDLED');
      for (const used of keys)
        for (const named of [...keys, '00'.repeat(16)]) {
          const header = { 'X-Webhook-Key-Id': webhookKeyId(importWebhookKey(named)) };
          expect(await receiver.post(sealed(notification(money).text, used), header)).toBe('200 HANDLED');
        }
    });

    it('an untidy key file opens notifications, and a key behind a # does not', async () => {
      const [commented, good] = ['00'.repeat(16), '1f'.repeat(16)];
      const lines = [`\ufeff# ${commented}`, '', 'no key', good.slice(1), `\t"${good.toUpperCase()}" # the new one`, ''];
      const tidy = readFileSync(receiver.file('keys'));
      writeFileSync(receiver.file('keys'), lines.join('\r\n'));
      expect(await receiver.post(sealed(notification(money).text, good))).toBe('200 HANDLED');
      // Some line is no key: it may have been the one of this body, so the shop is told.
      expect(await receiver.post(sealed(notification(money).text, commented))).toBe('500 HANDLER_FAILED');
      await eventually(() => expect(receiver.output).toContain('a webhook key is 32 hexadecimal characters'));
      writeFileSync(receiver.file('keys'), tidy);
    });

    it('a notification that a program prints shows neither phone, card nor person', async () => {
      const { transactionId, text } = notification({}, allFields);
      expect(await receiver.post(sealed(text, key))).toBe('200 HANDLED');
      await eventually(() => expect(receiver.said('printed ').join()).toContain(String(transactionId)));
      // Ids of other tests may hold these digits by chance.
      const lines = receiver.said('printed ').filter(line => line.includes(String(transactionId)));
      for (const hidden of ['2782000000', '500000', '0009', 'EXAMPLE', 'Bea', 'Cape Town', key])
        expect(lines.join().replaceAll(String(transactionId), '')).not.toContain(hidden);
    });

    it('does not acknowledge a notification whose handler failed, and lets a repeat try again (R-2.6-1)', async () => {
      const { transactionId, text } = notification({ amount: 25.5, reference: 'fail-1' });
      writeFileSync(receiver.file('fail'), '');
      expect(await receiver.post(sealed(text, key))).toBe('500 HANDLER_FAILED');
      rmSync(receiver.file('fail'));
      expect(await receiver.post(sealed(text, key))).toBe('200 HANDLED');
      await isHandledOnce(transactionId);
    });

    it('recognises handled notifications after a restart', async () => {
      const { text } = notification(money);
      const first = await start();
      const firstKey = first.addKey();
      expect(await first.post(sealed(text, firstKey))).toBe('200 HANDLED');
      await first.stop();
      const second = await start({ folder: first.file('.') });
      expect(await second.post(sealed(text, firstKey))).toBe('200 REPEAT');
      await second.stop();
    });
  });

  it('a receiver without an error handler of its own logs that the handler failed, and why', async () => {
    const receiver = await start({ isWithoutOnError: true });
    writeFileSync(receiver.file('fail'), '');
    const { text } = notification({ amount: 25.5, reference: 'fail-4' });
    expect(await receiver.post(sealed(text, receiver.addKey()))).toBe('500 HANDLER_FAILED');
    await eventually(() => expect(receiver.output).toContain('told to fail'));
    await receiver.stop();
  });

  it.each(['BEFORE', 'AFTER'] as const)('an error handler that fails costs neither answer nor process, with %s', async when => {
    const receiver = await start({ when });
    const key = receiver.addKey();
    for (const name of ['fail', 'fail-on-error']) writeFileSync(receiver.file(name), '');
    const failing = sealed(notification({ amount: 25.5, reference: 'fail-3' }).text, key);
    expect(await receiver.post(failing)).toBe(when === 'AFTER' ? '200 ACCEPTED' : '500 HANDLER_FAILED');
    await eventually(() => expect(receiver.output).toContain('told to fail, too'));
    expect(await receiver.post(sealed(notification(money).text, key))).toMatch(/^200 (HANDLED|ACCEPTED)$/);
    await receiver.stop();
  });

  const itReads = kit.parserFirst ? it.each(kit.parserFirst) : () => undefined;
  itReads('%s: it is handled, or the shop is told of the reader in front', async reader => {
    const receiver = await start({ adapter: reader });
    const key = receiver.addKey();
    for (const [body, type] of [
      ['{"result":"TEST"}', 'application/json'],
      [sealed(notification(money).text, key), 'text/plain'],
    ]) {
      const answer = await receiver.post(body!, { 'Content-Type': type! });
      expect(answer).toMatch(/^(200 (PROBE|HANDLED)|500 .+)$/);
      if (answer.startsWith('500 ')) await eventually(() => expect(receiver.output).toMatch(/has read the notification/));
    }
    await receiver.stop();
  });

  it('answers in time although the handler does not end, and does not handle a repeat meanwhile (R-2.6-1)', async () => {
    const receiver = await start({ answerWithinMs: 500 });
    const key = receiver.addKey();
    const { transactionId, text } = notification({ amount: 25.5, reference: 'hold-1' });
    writeFileSync(receiver.file('hold'), '');
    expect(await receiver.post(sealed(text, key))).toBe('503 TOO_SLOW');
    if (kit.canWorkOn !== false) {
      expect(await receiver.post(sealed(text, key))).toBe('503 BUSY');
      rmSync(receiver.file('hold'));
      await eventually(() => expect(receiver.said(`handled ${transactionId} `)).toHaveLength(1));
      await eventually(async () => expect(await receiver.post(sealed(text, key))).toBe('200 REPEAT'));
      expect(receiver.said(`handling ${transactionId}`)).toHaveLength(1);
    }
    await receiver.stop();
  });

  it('answers before the handler has ended, with AFTER, and keeps the claim of a handler that fails', async () => {
    const receiver = await start({ when: 'AFTER' });
    const key = receiver.addKey();
    const { transactionId, text } = notification({ amount: 25.5, reference: 'hold-2' });
    writeFileSync(receiver.file('hold'), '');
    expect(await receiver.post(sealed(text, key))).toBe('200 ACCEPTED');
    await eventually(() => expect(receiver.said(`handling ${transactionId}`)).toHaveLength(1));
    expect(receiver.said(`handled ${transactionId} `)).toHaveLength(0);
    // A claim takes its room on the disk before the work begins: a full disk shows before the money is kept.
    expect(statSync(receiver.file(`store/${transactionId}`)).size).toBeGreaterThan(0);
    expect(await receiver.post(sealed(text, key))).toBe('200 REPEAT');
    rmSync(receiver.file('hold'));
    await eventually(() => expect(receiver.said(`handled ${transactionId} `)).toHaveLength(1));
    const failing = notification({ amount: 25.5, reference: 'fail-2' });
    writeFileSync(receiver.file('fail'), '');
    expect(await receiver.post(sealed(failing.text, key))).toBe('200 ACCEPTED');
    await eventually(() => expect(receiver.output).toContain('told to fail'));
    expect(existsSync(receiver.file(`store/${failing.transactionId}`))).toBe(true);
    await receiver.stop();
  });
}
