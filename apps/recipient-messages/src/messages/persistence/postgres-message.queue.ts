import { createHash } from 'node:crypto';
import type { Channel } from '@paycode/dto';
import type { DataSource } from 'typeorm';
import type { MessageContent, NewMessage, QueuedMessage } from '../domain/message';
import { MessageQueue } from '../messages.ports';

interface MessageRow {
  message_id: string;
  channel: Channel;
  merchant_id: string;
  transaction_id: string | null;
  recipient: string;
  notification: string | null;
  change_notice: Omit<ChangeNoticeContent, 'kind'>;
  tries: number;
}

type ChangeNoticeContent = Extract<MessageContent, { kind: 'CHANGE_NOTICE' }>;

const tidiedMax = 5_000;

export class PostgresMessageQueue extends MessageQueue {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async add(messages: readonly NewMessage[]): Promise<void> {
    await this.dataSource.query(
      `insert into recipient_message (dedup_key, channel, merchant_id, transaction_id, recipient, notification, change_notice)
       select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::jsonb[])
       on conflict (dedup_key) do nothing`,
      [
        messages.map(dedupKey),
        messages.map(({ channel }) => channel),
        messages.map(({ merchantId }) => merchantId),
        messages.map(({ transactionId }) => transactionId),
        messages.map(({ recipient }) => recipient),
        messages.map(({ content }) => (content.kind === 'TRANSACTION' ? content.payload : null)),
        messages.map(({ content }) => changeNoticeOf(content)),
      ],
    );
  }

  override async take(channel: Channel, limit: number, leaseMs: number): Promise<QueuedMessage[]> {
    // Skipped, not waited for: another replica has them in hand.
    const [rows] = await this.dataSource.query<[MessageRow[], number]>(
      `update recipient_message set tries = tries + 1, due_at = clock_timestamp() + $3 * interval '1 millisecond'
       where message_id in (
         select message_id from recipient_message where channel = $1 and state = 'PENDING' and due_at <= statement_timestamp()
         order by due_at limit $2 for update skip locked)
       returning message_id, channel, merchant_id, transaction_id, recipient, notification, change_notice, tries`,
      [channel, limit, leaseMs],
    );
    return rows.map(row => ({
      messageId: row.message_id,
      channel: row.channel,
      merchantId: Number(row.merchant_id),
      transactionId: row.transaction_id === null ? null : Number(row.transaction_id),
      recipient: row.recipient,
      content: contentOf(row),
      tries: row.tries,
    }));
  }

  override async finish(messageId: string, state: 'SENT' | 'FAILED'): Promise<void> {
    await this.dataSource.query(
      `update recipient_message set state = $2, recipient = '', notification = null, change_notice = null, finished_at = clock_timestamp() where message_id = $1`,
      [messageId, state],
    );
  }

  override async retryAfter(messageId: string, waitMs: number): Promise<void> {
    await this.dataSource.query(
      `update recipient_message set due_at = clock_timestamp() + $2 * interval '1 millisecond' where message_id = $1 and state = 'PENDING'`,
      [messageId, waitMs],
    );
  }

  override async waiting(): Promise<Map<Channel, number>> {
    const rows = await this.dataSource.query<{ channel: Channel; count: string }[]>(
      `select channel, count(*) from recipient_message where state = 'PENDING' group by channel`,
    );
    return new Map(rows.map(({ channel, count }) => [channel, Number(count)]));
  }

  override async tidy(ageMsMax: number): Promise<void> {
    await this.dataSource.query(
      `update recipient_message set state = 'FAILED', recipient = '', notification = null, change_notice = null, finished_at = clock_timestamp()
       where message_id in (
         select message_id from recipient_message
         where state = 'PENDING' and created_at < clock_timestamp() - $1 * interval '1 millisecond' limit $2 for update skip locked)`,
      [ageMsMax, tidiedMax],
    );
    // Kept twice as long as news may be old: until then an event that comes again must find its message done.
    await this.dataSource.query(
      `delete from recipient_message where message_id in (
         select message_id from recipient_message
         where state <> 'PENDING' and finished_at < clock_timestamp() - 2 * $1 * interval '1 millisecond' limit $2)`,
      [ageMsMax, tidiedMax],
    );
  }
}

function changeNoticeOf(content: MessageContent): string | null {
  if (content.kind === 'TRANSACTION') return null;
  const { change, actor, occurredAt } = content;
  return JSON.stringify({ change, actor, occurredAt });
}

/** The table holds one of the two of every message that waits. */
function contentOf({ notification, change_notice }: MessageRow): MessageContent {
  return notification === null ? { kind: 'CHANGE_NOTICE', ...change_notice } : { kind: 'TRANSACTION', payload: notification };
}

function dedupKey({ cause, channel, recipient }: NewMessage): string {
  return createHash('sha256').update(`${cause}\n${channel}\n${recipient}`).digest('base64url');
}
