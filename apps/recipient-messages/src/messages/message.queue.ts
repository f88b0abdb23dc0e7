import { Inject, Injectable } from '@nestjs/common';
import type { Channel } from '@paycode/dto';
import type { NotificationSource } from '@paycode/persistence/erasure';
import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { MessageContent, NewMessage, QueuedMessage } from './domain/message';

const messageSql = {
  add: `insert into recipient_message (dedup_key, channel, merchant_id, transaction_id, recipient, notification, change_notice, invitation, four_eyes, alert)
       select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::jsonb[], $8::jsonb[], $9::jsonb[], $10::jsonb[])
        order by 1
       on conflict (dedup_key) do nothing`,

  // Skips locked rows, because another replica is sending them.
  take: `update recipient_message set tries = tries + 1, due_at = clock_timestamp() + $3 * interval '1 millisecond'
       where message_id in (
         select message_id from recipient_message where channel = $1 and state = 'PENDING' and due_at <= statement_timestamp()
         order by due_at limit $2 for update skip locked)
       returning message_id as "messageId", channel, merchant_id::float8 as "merchantId", transaction_id::float8 as "transactionId", recipient,
         notification, change_notice, invitation, four_eyes, alert, tries`,

  // For each channel the first row of its index, however many wait.
  nextDue: `select c.channel, ceil(extract(epoch from next.due_at - clock_timestamp()) * 1000)::float8 as "waitMs"
       from unnest($1::text[]) as c(channel) cross join lateral (
         select min(due_at) as due_at from recipient_message m where m.channel = c.channel and state = 'PENDING') next
       where next.due_at is not null`,

  finish: `update recipient_message set state = $2, recipient = '', notification = null, change_notice = null, invitation = null, four_eyes = null, alert = null, finished_at = clock_timestamp() where message_id = $1`,

  retryAfter: `update recipient_message set due_at = clock_timestamp() + $2 * interval '1 millisecond' where message_id = $1 and state = 'PENDING'`,

  waiting: `select channel, count(*) from recipient_message where state = 'PENDING' group by channel`,

  giveUp: `update recipient_message set state = 'FAILED', recipient = '', notification = null, change_notice = null, invitation = null, four_eyes = null, alert = null, finished_at = clock_timestamp()
       where message_id in (
         select message_id from recipient_message
         where state = 'PENDING' and created_at < statement_timestamp() - $1 * interval '1 millisecond' limit $2 for update skip locked)`,

  // Keeps finished messages twice as long as an event may be old, so that a repeated event finds its message done.
  remove: `delete from recipient_message where message_id in (
         select message_id from recipient_message
         where state <> 'PENDING' and finished_at < statement_timestamp() - 2 * $1 * interval '1 millisecond' limit $2)`,
} as const;

/** Sealed notifications of messages that are not sent yet; each recipient's message of a transaction holds one. */
export const storedMessages: NotificationSource = {
  table: 'recipient_message',
  sealed: 'notification',
  storedAt: 't.created_at',
  holds: 't.notification is not null',
  // No text contains data of the payer, so waiting messages are sent anyway.
  isDecided: 'true',
  relatedIds: 'array[]::bigint[]',
};

type Told<Kind> = Omit<Extract<MessageContent, { kind: Kind }>, 'kind'> | null;

/** A waiting message has one of the five columns. */
interface ContentColumns {
  notification: string | null;
  change_notice: Told<'CHANGE_NOTICE'>;
  invitation: Told<'INVITATION'>;
  four_eyes: Told<'FOUR_EYES'>;
  alert: Told<'ALERT'>;
}

type MessageRow = Omit<QueuedMessage, 'content'> & ContentColumns;

const tidiedMax = 5_000;

/** The durable queue of messages. */
@Injectable()
export class MessageQueue {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** The messages are durable when it resolves. A message that exists already does not change. */
  async add(messages: readonly NewMessage[]): Promise<void> {
    await this.dataSource.query(messageSql.add, [
      messages.map(dedupKey),
      messages.map(({ channel }) => channel),
      messages.map(({ merchantId }) => merchantId),
      messages.map(({ transactionId }) => transactionId),
      messages.map(({ recipient }) => recipient),
      messages.map(({ content }) => (content.kind === 'TRANSACTION' ? content.payload : null)),
      messages.map(({ content }) => textOf('CHANGE_NOTICE', content)),
      messages.map(({ content }) => textOf('INVITATION', content)),
      messages.map(({ content }) => textOf('FOUR_EYES', content)),
      messages.map(({ content }) => textOf('ALERT', content)),
    ]);
  }

  /** Takes due messages. When the replica dies, its messages are due again after `leaseMs`. */
  async take(channel: Channel, limit: number, leaseMs: number): Promise<QueuedMessage[]> {
    const [rows] = await this.dataSource.query<[MessageRow[], number]>(messageSql.take, [channel, limit, leaseMs]);
    return rows.map(({ notification, change_notice, invitation, four_eyes, alert, ...message }) => ({
      ...message,
      content: contentOf({ notification, change_notice, invitation, four_eyes, alert }),
    }));
  }

  /** Time until the next message of each channel is due, in milliseconds; a channel without waiting messages is left out. */
  async nextDueMs(channels: readonly Channel[]): Promise<Map<Channel, number>> {
    const rows = await this.dataSource.query<{ channel: Channel; waitMs: number }[]>(messageSql.nextDue, [channels]);
    return new Map(rows.map(({ channel, waitMs }) => [channel, Math.max(0, waitMs)]));
  }

  /** Sets the final state, and erases recipient and content. */
  async finish(messageId: string, state: 'SENT' | 'FAILED'): Promise<void> {
    await this.dataSource.query(messageSql.finish, [messageId, state]);
  }

  async retryAfter(messageId: string, waitMs: number): Promise<void> {
    await this.dataSource.query(messageSql.retryAfter, [messageId, waitMs]);
  }

  /** Messages that are not sent yet. */
  async waiting(): Promise<Map<Channel, number>> {
    const rows = await this.dataSource.query<{ channel: Channel; count: string }[]>(messageSql.waiting);
    return new Map(rows.map(({ channel, count }) => [channel, Number(count)]));
  }

  /** Gives up messages older than `ageMsMax`, and deletes finished ones when no repeated event can queue them again. */
  async tidy(ageMsMax: number): Promise<void> {
    await this.dataSource.query(messageSql.giveUp, [ageMsMax, tidiedMax]);
    await this.dataSource.query(messageSql.remove, [ageMsMax, tidiedMax]);
  }
}

/** Content of a message of this kind as JSON, or null where the message is of another kind. */
function textOf(kind: MessageContent['kind'], content: MessageContent): string | null {
  if (content.kind !== kind) return null;
  const { kind: _, ...told } = content;
  return JSON.stringify(told);
}

function contentOf({ notification, change_notice, invitation, four_eyes, alert }: ContentColumns): MessageContent {
  if (alert !== null) return { kind: 'ALERT', ...alert };
  if (notification !== null) return { kind: 'TRANSACTION', payload: notification };
  if (four_eyes !== null) return { kind: 'FOUR_EYES', ...four_eyes };
  return invitation ? { kind: 'INVITATION', ...invitation } : { kind: 'CHANGE_NOTICE', ...change_notice! };
}

function dedupKey({ cause, channel, recipient }: NewMessage): string {
  return createHash('sha256').update(`${cause}\n${channel}\n${recipient}`).digest('base64url');
}
