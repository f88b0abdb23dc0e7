import { type Channel, channels } from '@paycode/dto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../migrations';
import { MessageQueue } from './message.queue';

describe('the queue of messages on PostgreSQL', () => {
  let database: TestDatabase;
  let queue: MessageQueue;
  beforeAll(async () => {
    database = await createTestDatabase({ migrations });
    queue = new MessageQueue(database.dataSource);
  });
  afterAll(() => database.drop());

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
