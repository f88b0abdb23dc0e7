import { type Channel, channels } from '@paycode/dto';
import { locksInOrder, testDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../migrations';
import { MessageQueue } from './message.queue';

describe('the queue of messages on PostgreSQL', () => {
  const database = testDatabase({ migrations });
  let queue: MessageQueue;
  beforeAll(async () => {
    queue = new MessageQueue(database.dataSource);
  });

  it('regression: replicas that queue the same messages do not deadlock', async () => {
    const content = { kind: 'TRANSACTION', payload: 'sealed' } as const;
    const addressed = { channel: 'EMAIL', recipient: 'a@shop.example', merchantId: 8, transactionId: 2, content } as const;
    const messages = ['a', 'b'].map(cause => ({ ...addressed, cause }));
    await queue.add(messages);
    const keys = await database.dataSource.query<{ dedup_key: string }[]>(
      'with gone as (delete from recipient_message where merchant_id = 8 returning *) select dedup_key from gone order by 1',
    );
    const [first, second] = keys.map(
      ({ dedup_key: key }) =>
        `insert into recipient_message (dedup_key, channel, merchant_id, transaction_id, recipient, notification)
         values ('${key}', 'EMAIL', 8, 2, 'a@shop.example', 'sealed')`,
    );
    for (const order of [messages, messages.toReversed()]) {
      await locksInOrder(database, { first: first!, second: second! }, () => queue.add(order));
      await database.dataSource.query('delete from recipient_message where merchant_id = 8');
    }
  });

  it.each(channels)(
    '%s: a message is queued once, taken with its content, and erased when it is done (R-6.2-3)',
    async channel => {
      const addressed = { channel, recipient: `somebody over ${channel}`, merchantId: 7 };
      const payment = { kind: 'TRANSACTION', payload: 'sealed' } as const;
      const change = {
        kind: 'CHANGE_NOTICE',
        change: 'KEY_CHANGED',
        actor: 'psp-1',
        occurredAt: '2026-01-01T00:00:00.000Z',
      } as const;
      const messages = [
        { ...addressed, transactionId: 1, cause: 'transaction:1', content: payment },
        { ...addressed, transactionId: null, cause: 'notice:1', content: change },
      ];
      await queue.add(messages);
      await queue.add(messages);
      const taken = await queue.take(channel, 10, 60_000);
      expect(taken.map(({ content, recipient, tries }) => ({ content, recipient, tries }))).toEqual(
        expect.arrayContaining([payment, change].map(content => ({ content, recipient: addressed.recipient, tries: 1 }))),
      );
      expect(taken).toHaveLength(2);
      expect(await queue.take(channel, 10, 60_000)).toEqual([]);
      expect((await queue.waiting()).get(channel)).toBe(2);
      for (const { messageId } of taken) await queue.finish(messageId, 'SENT');
      const sql = 'select distinct recipient, notification, change_notice from recipient_message where channel = $1';
      expect(await database.dataSource.query(sql, [channel])).toEqual([
        { recipient: '', notification: null, change_notice: null },
      ]);
      expect((await queue.waiting()).has(channel)).toBe(false);
    },
  );

  it('says when the next message of a channel is due, and of an empty channel nothing', async () => {
    const dueMs = async (channel: Channel) => (await queue.nextDueMs(['EMAIL', 'SMS'])).get(channel);
    expect(await dueMs('SMS')).toBeUndefined();
    const content = { kind: 'TRANSACTION', payload: 'sealed' } as const;
    await queue.add([{ channel: 'SMS', recipient: 'x', merchantId: 7, transactionId: 2, cause: 'transaction:2', content }]);
    expect(await dueMs('SMS')).toBe(0);
    const [taken] = await queue.take('SMS', 10, 180_000);
    expect(await dueMs('SMS')).toBeGreaterThan(60_000);
    expect(await dueMs('EMAIL')).toBeUndefined();
    await queue.finish(taken!.messageId, 'SENT');
  });
});
