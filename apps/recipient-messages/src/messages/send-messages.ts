import type { PayloadSealer } from '@paycode/crypto';
import { type Channel, parseNotification, type TransactionNotificationV3 } from '@paycode/dto';
import { counter, readForScrape, scrapedGauge } from '@paycode/service-runtime/metrics';
import type { Logger } from '@paycode/service-runtime';
import { backoffMs } from '@paycode/service-runtime/timing';
import { SendError } from '../senders/message.sender';
import type { OpenChannels, Said } from './channel-table';
import type { MessageContent, QueuedMessage } from './domain/message';
import type { MessageQueue } from './message.queue';

/** RETRY: it will be tried again. */
type MessageOutcome = 'SENT' | 'FAILED' | 'RETRY';

/** Counts of messages; the number that wait is read when scraped. */
export class MessageMetrics {
  private readonly worked = counter(
    'paycode_recipient_messages_tries_total',
    'Tries to send Email and SMS to recipients, by channel and outcome.',
    ['channel', 'outcome'],
  );

  constructor(waiting: () => Promise<Map<Channel, number>>) {
    const help = 'Messages to recipients that are not sent yet, by channel.';
    scrapedGauge({ name: 'paycode_recipient_messages_waiting', help, labelNames: ['channel'] }, async gauge => {
      gauge.reset();
      for (const [channel, count] of await readForScrape(waiting, new Map<Channel, number>())) gauge.set({ channel }, count);
    });
  }

  tried(channel: Channel, outcome: MessageOutcome): void {
    this.worked.inc({ channel, outcome });
  }
}

export interface SendMessagesParts {
  queue: MessageQueue;
  /** Opens the sealed notifications of messages. */
  payloads: PayloadSealer;
  channels: OpenChannels;
  metrics: MessageMetrics;
  log: Logger;
}

export interface SendRules {
  triesMax: number;
  firstWaitMs: number;
  /** Messages of one channel sent at once. */
  concurrency: number;
  /** From 0 to 1, for jitter. */
  chance(): number;
}

/** Longer than the time limit of every sender. */
const leaseMs = 180_000;
/** Longest wait between two tries of a message. */
const waitMsMax = 1_800_000;

/** Flow: due messages -> text -> sender -> done, or another try later. It is best effort: the outcome affects no payment (R-1-8, R-6.2-3). */
export class SendMessages {
  private looking: Promise<Map<Channel, number>> | undefined;

  constructor(
    private readonly parts: SendMessagesParts,
    private readonly rules: SendRules,
  ) {}

  get channels(): Channel[] {
    return [...this.parts.channels.keys()];
  }

  /** Runs one round of a channel; returns the number of messages that it handled. */
  async sendDue(channel: Channel): Promise<number> {
    const messages = await this.parts.queue.take(channel, this.rules.concurrency, leaseMs);
    await Promise.all(messages.map(message => this.work(message)));
    return messages.length;
  }

  /** Time until a message of the channel is due, in milliseconds; undefined when none waits. Channels that ask together share the answer. */
  async nextDueMs(channel: Channel): Promise<number | undefined> {
    const looking = (this.looking ??= this.parts.queue.nextDueMs(this.channels));
    try {
      return (await looking).get(channel);
    } finally {
      if (this.looking === looking) this.looking = undefined;
    }
  }

  /** There are new messages: what is being looked at may have been read before them. */
  lookAgain(): void {
    this.looking = undefined;
  }

  private async work(message: QueuedMessage): Promise<void> {
    try {
      await this.send(message);
    } catch (error) {
      return this.failed(message, error);
    }
    await this.parts.queue.finish(message.messageId, 'SENT');
    this.report(message, 'SENT', null);
  }

  private async send({ channel, recipient, messageId, merchantId, content }: QueuedMessage): Promise<void> {
    const open = this.parts.channels.get(channel);
    if (!open) throw new SendError('CHANNEL_OFF', false);
    await open.send({ recipient, reference: messageId }, this.saidIn(content, merchantId));
  }

  private saidIn(content: MessageContent, merchantId: number | null): Said {
    if (content.kind === 'TRANSACTION') return { kind: 'TRANSACTION', notification: this.notificationOf(content.payload) };
    // A notice of a change has always a merchant.
    return content.kind === 'CHANGE_NOTICE' ? { ...content, merchantId: merchantId! } : content;
  }

  private notificationOf(payload: string): TransactionNotificationV3 {
    try {
      return parseNotification(this.parts.payloads.open(payload).toString());
    } catch (cause) {
      // A missing key may be deployed later, so the message is tried again as after any fault of the platform.
      throw new SendError('PAYLOAD_NOT_OPENED', false, cause);
    }
  }

  private async failed(message: QueuedMessage, error: unknown): Promise<void> {
    const { code, isPermanent } = error instanceof SendError ? error : { code: 'UNKNOWN', isPermanent: false };
    if (isPermanent || message.tries >= this.rules.triesMax) {
      await this.parts.queue.finish(message.messageId, 'FAILED');
      return this.report(message, 'FAILED', code);
    }
    const waits = { firstMs: this.rules.firstWaitMs, maxMs: waitMsMax };
    await this.parts.queue.retryAfter(message.messageId, Math.ceil(backoffMs(message.tries, waits, this.rules.chance())));
    this.report(message, 'RETRY', code);
  }

  private report(message: QueuedMessage, outcome: MessageOutcome, code: string | null): void {
    const { transactionId, merchantId, tries, channel } = message;
    this.parts.metrics.tried(channel, outcome);
    this.parts.log[outcome === 'FAILED' ? 'warn' : 'info'](
      { event: 'recipient-message', source: channel, transactionId, merchantId, attempt: tries, outcome, code },
      'message to a recipient',
    );
  }
}
