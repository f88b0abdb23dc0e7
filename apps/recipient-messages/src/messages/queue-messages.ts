import type { ChangeNotice, Channel, PortalFourEyesNotice, PortalInvitation, TransactionTerminal } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { NewMessage } from './domain/message';
import { MessageQueue, RecipientDirectory } from './messages.ports';

export interface QueueMessagesOptions {
  /** Channels that have a sender. */
  channels: ReadonlySet<Channel>;
  ageMsMax: number;
  nowMs(): number;
  /** Messages are durable and due. */
  queued(): void;
}

/**
 * Flow: terminal transactions -> recipients -> one durable message per recipient. Merchants without recipients cost one look-up.
 */
export class QueueMessages {
  constructor(
    private readonly directory: RecipientDirectory,
    private readonly queue: MessageQueue,
    private readonly options: QueueMessagesOptions,
  ) {}

  /** Rejects when it cannot know that the messages are durable: the batch must come again. */
  async queueTransactions(terminals: readonly TransactionTerminal[]): Promise<void> {
    const oldest = this.options.nowMs() - this.options.ageMsMax;
    const fresh = terminals.filter(({ completedAt }) => Date.parse(completedAt) >= oldest);
    if (fresh.length === 0) return;
    const recipients = await this.directory.recipientsOf([...new Set(fresh.map(({ merchantId }) => merchantId))]);
    const open = [...this.options.channels];
    const messages = fresh.flatMap(terminal =>
      open.flatMap(channel => {
        const told = recipients.get(terminal.merchantId)?.[channel] ?? [];
        return told.map(recipient => transactionMessage(terminal, channel, recipient));
      }),
    );
    await this.add(messages);
  }

  async queueNotices(notices: readonly ChangeNotice[]): Promise<void> {
    if (!this.options.channels.has('EMAIL')) return;
    await this.add(notices.flatMap(notice => notice.emails.map(email => noticeMessage(notice, email))));
  }

  /** To the address of one person; without an e-mail channel nobody can be invited. @throws DomainError 503 */
  async queueInvitation({ invitationId, email, ...invitation }: PortalInvitation): Promise<void> {
    this.demandEmail();
    const cause = `invitation:${invitationId}`;
    const content = { kind: 'INVITATION' as const, ...invitation };
    await this.add([{ channel: 'EMAIL', recipient: email, merchantId: null, transactionId: null, cause, content }]);
  }

  /** To those who can confirm, one mail each. @throws DomainError 503 */
  async queueFourEyes({ requestId, to, ...request }: PortalFourEyesNotice): Promise<void> {
    this.demandEmail();
    const cause = `four-eyes:${requestId}`;
    await this.add(
      to.map(({ email, name }): NewMessage => {
        const content = { kind: 'FOUR_EYES' as const, ...request, name };
        return { channel: 'EMAIL', recipient: email, merchantId: null, transactionId: null, cause, content };
      }),
    );
  }

  private demandEmail(): void {
    if (!this.options.channels.has('EMAIL'))
      throw new DomainError({ status: 503, reason: 'NO_EMAIL', message: 'e-mail is switched off' });
  }

  private async add(messages: readonly NewMessage[]): Promise<void> {
    if (messages.length === 0) return;
    await this.queue.add(messages);
    this.options.queued();
  }
}

function transactionMessage(terminal: TransactionTerminal, channel: Channel, recipient: string): NewMessage {
  const { transactionId, merchantId, notification } = terminal;
  const content = { kind: 'TRANSACTION' as const, payload: notification };
  return { channel, recipient, merchantId, transactionId, cause: `transaction:${transactionId}`, content };
}

function noticeMessage({ noticeId, merchantId, kind, actor, occurredAt }: ChangeNotice, recipient: string): NewMessage {
  const content = { kind: 'CHANGE_NOTICE' as const, change: kind, actor, occurredAt };
  return { channel: 'EMAIL', recipient, merchantId, transactionId: null, cause: `notice:${noticeId}`, content };
}
