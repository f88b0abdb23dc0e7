import { createHash } from 'node:crypto';
import type { Channel } from '@paycode/dto';
import type { DataSource } from 'typeorm';
import type { MessageContent, NewMessage, QueuedMessage } from '../domain/message';
import { MessageQueue } from '../messages.ports';
import { messageSql as sql } from './message.sql';

interface MessageRow {
  message_id: string;
  channel: Channel;
  merchant_id: string | null;
  transaction_id: string | null;
  recipient: string;
  notification: string | null;
  change_notice: Omit<ChangeNoticeContent, 'kind'> | null;
  invitation: Omit<InvitationContent, 'kind'> | null;
  four_eyes: Omit<FourEyesContent, 'kind'> | null;
  tries: number;
}

type ChangeNoticeContent = Extract<MessageContent, { kind: 'CHANGE_NOTICE' }>;

type InvitationContent = Extract<MessageContent, { kind: 'INVITATION' }>;

type FourEyesContent = Extract<MessageContent, { kind: 'FOUR_EYES' }>;

const tidiedMax = 5_000;

export class PostgresMessageQueue extends MessageQueue {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async add(messages: readonly NewMessage[]): Promise<void> {
    await this.dataSource.query(sql.add, [
      messages.map(dedupKey),
      messages.map(({ channel }) => channel),
      messages.map(({ merchantId }) => merchantId),
      messages.map(({ transactionId }) => transactionId),
      messages.map(({ recipient }) => recipient),
      messages.map(({ content }) => (content.kind === 'TRANSACTION' ? content.payload : null)),
      messages.map(({ content }) => changeNoticeOf(content)),
      messages.map(({ content }) => textOf('INVITATION', content)),
      messages.map(({ content }) => textOf('FOUR_EYES', content)),
    ]);
  }

  override async take(channel: Channel, limit: number, leaseMs: number): Promise<QueuedMessage[]> {
    const [rows] = await this.dataSource.query<[MessageRow[], number]>(sql.take, [channel, limit, leaseMs]);
    return rows.map(row => ({
      messageId: row.message_id,
      channel: row.channel,
      merchantId: row.merchant_id === null ? null : Number(row.merchant_id),
      transactionId: row.transaction_id === null ? null : Number(row.transaction_id),
      recipient: row.recipient,
      content: contentOf(row),
      tries: row.tries,
    }));
  }

  override async nextDueMs(channels: readonly Channel[]): Promise<Map<Channel, number>> {
    const rows = await this.dataSource.query<{ channel: Channel; wait_ms: number }[]>(sql.nextDue, [channels]);
    return new Map(rows.map(({ channel, wait_ms: waitMs }) => [channel, Math.max(0, waitMs)]));
  }

  override async finish(messageId: string, state: 'SENT' | 'FAILED'): Promise<void> {
    await this.dataSource.query(sql.finish, [messageId, state]);
  }

  override async retryAfter(messageId: string, waitMs: number): Promise<void> {
    await this.dataSource.query(sql.retryAfter, [messageId, waitMs]);
  }

  override async waiting(): Promise<Map<Channel, number>> {
    const rows = await this.dataSource.query<{ channel: Channel; count: string }[]>(sql.waiting);
    return new Map(rows.map(({ channel, count }) => [channel, Number(count)]));
  }

  override async tidy(ageMsMax: number): Promise<void> {
    await this.dataSource.query(sql.giveUp, [ageMsMax, tidiedMax]);
    await this.dataSource.query(sql.remove, [ageMsMax, tidiedMax]);
  }
}

function changeNoticeOf(content: MessageContent): string | null {
  if (content.kind !== 'CHANGE_NOTICE') return null;
  const { change, actor, occurredAt } = content;
  return JSON.stringify({ change, actor, occurredAt });
}

/** What people are told, or null where the message is of another kind. */
function textOf(kind: 'INVITATION' | 'FOUR_EYES', content: MessageContent): string | null {
  if (content.kind !== kind) return null;
  const { kind: _, ...told } = content;
  return JSON.stringify(told);
}

/** A waiting message has one of the four columns. */
function contentOf({ notification, change_notice, invitation, four_eyes }: MessageRow): MessageContent {
  if (notification !== null) return { kind: 'TRANSACTION', payload: notification };
  if (four_eyes !== null) return { kind: 'FOUR_EYES', ...four_eyes };
  return invitation ? { kind: 'INVITATION', ...invitation } : { kind: 'CHANGE_NOTICE', ...change_notice! };
}

function dedupKey({ cause, channel, recipient }: NewMessage): string {
  return createHash('sha256').update(`${cause}\n${channel}\n${recipient}`).digest('base64url');
}
