import type { ActingPerson, InternalClient, InvitedPerson } from '@paycode/access';
import type {
  Addressee,
  AlertKind,
  ChangeNotice,
  Channel,
  FourEyesKind,
  PortalAlert,
  PortalFourEyesNotice,
  PortalInvitation,
  Recipients,
  Route,
  RoutesRequest,
  TransactionTerminal,
} from '@paycode/dto';
import type { ReadsIn } from '@paycode/dto/people';
import { DataFault } from '@paycode/persistence';
import { DomainError } from '@paycode/service-runtime';
import { LeasedReads, type Lent } from '@paycode/service-runtime/timing';
import type { MessageContent, NewMessage } from './domain/message';
import { Speech, type Text } from './domain/speech';
import type { MessageQueue } from './message.queue';

const merchantsPerCallMax = 1_000;
const keptMax = 50_000;

/** Recipients from `POST notification-config /internal/routes`, kept for the lease of the route. All partitions share its reads. */
export class RecipientDirectory {
  private readonly reads = new LeasedReads<number, Recipients>({
    read: merchantIds => this.read(merchantIds),
    nowMs: () => performance.now(),
    keysPerRead: merchantsPerCallMax,
    readsMax: 2,
    keptMax,
  });

  constructor(private readonly client: Pick<InternalClient, 'post'>) {}

  /**
   * Returns the recipients of every given merchant. Rejects when it cannot read them; with a DataFault when only those of some
   * merchant are missing.
   */
  async recipientsOf(merchantIds: readonly number[]): Promise<Map<number, Recipients>> {
    const outcomes = await this.reads.settled(merchantIds);
    const faults = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
    if (faults.length > 0) throw faults.find(fault => !(fault instanceof DataFault)) ?? faults[0];
    return new Map(
      outcomes.flatMap((outcome, at) => (outcome.status === 'fulfilled' ? [[merchantIds[at]!, outcome.value]] : [])),
    );
  }

  private async read(merchantIds: readonly number[]): Promise<Map<number, Lent<Recipients> | Error>> {
    const request: RoutesRequest = { merchantIds: [...merchantIds] };
    const routes = await this.client.post<Route[]>('/internal/routes', request);
    const lent = new Map(routes.map(({ merchantId, recipients, leaseMs }) => [merchantId, { value: recipients, leaseMs }]));
    // A missing answer does not mean "no recipients": the event of that merchant is parked and not skipped (T-29).
    const missing = new DataFault('the answer lacks the recipients of a merchant');
    return new Map(merchantIds.map(merchantId => [merchantId, lent.get(merchantId) ?? missing]));
  }
}

export interface QueueMessagesOptions {
  /** Channels that have a sender. */
  channels: ReadonlySet<Channel>;
  ageMsMax: number;
  /** Base URL of the portal's pages, without a slash at its end: the start of every link. */
  portalUrl: string;
  nowMs(): number;
  /** Messages are durable and due. */
  queued(): void;
}

/** Each kind of request in words, and the page on which a second person confirms it. */
const asked: Record<FourEyesKind, { what: Text; page: string }> = {
  BEARER_SWITCH: { what: 'the switch of your API account to Bearer', page: 'api' },
  DEAD_LETTERS: { what: 'events that were parked to be given to a service again', page: 'on-call/dead-letters' },
};

/** The page that shows more of an alert. */
const alertPages: Record<Exclude<AlertKind, 'STATEMENT'>, string> = {
  RECEIVER_FAILS: 'notifications',
  RECEIVER_WORKS: 'notifications',
  REVERSED: 'payments?outcome=REVERSED',
  NEW_DEVICE: 'security',
  CERTIFICATE_ENDS: 'notifications',
  KEY_OLD: 'notifications',
};

/** The page of a statement shows the one that was mailed. */
function pageOf({ kind, statement }: PortalAlert): string {
  if (kind !== 'STATEMENT') return alertPages[kind];
  return `statements?period=${statement!.period}&timeZone=${encodeURIComponent(statement!.timeZone)}`;
}

/** Flow: terminal transactions -> recipients -> one durable message per recipient. Merchants without recipients cost one look-up. */
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
    await this.add(notices.flatMap(notice => notice.to.map(addressee => noticeMessage(notice, addressee))));
  }

  /** To the address of one person; without an e-mail channel nobody can be invited. @throws DomainError 503 */
  async queueInvitation(invited: InvitedPerson, { reason, ...inviter }: PortalInvitation): Promise<void> {
    this.demandEmail();
    const { invitationId, secret, email, expiresAt } = invited;
    // Behind the hash: what a browser sends to no server and writes into no log.
    const link = `${this.options.portalUrl}/${reason === 'OWNER_RECOVERY' ? 'security' : `accept#${secret}`}`;
    const reader = invited.language ? readerIn(invited) : readerIn(inviter);
    const tenant = new Speech(reader).tenant(invited);
    const content = { kind: 'INVITATION' as const, tenant, reason, link, expiresAt, reader };
    await this.add([personMessage(email, `invitation:${invitationId}`, content)]);
  }

  /** To those who can confirm, one mail each. @throws DomainError 503 */
  async queueFourEyes({ requestId, kind, to, expiresAt }: PortalFourEyesNotice, asker: ActingPerson): Promise<void> {
    this.demandEmail();
    const { what, page } = asked[kind];
    const link = `${this.options.portalUrl}/${page}`;
    const request = { kind: 'FOUR_EYES' as const, askedBy: asker.actor, link, expiresAt };
    const messages = to.map(({ email, name, ...of }) => {
      const reader = readerIn(of);
      const speech = new Speech(reader);
      const content = { ...request, name, what: speech.say(what), tenant: speech.tenant(asker), reader };
      return personMessage(email, `four-eyes:${requestId}`, content);
    });
    await this.add(messages);
  }

  /** To the address of one person. @throws DomainError 503 */
  async queueAlert(alert: PortalAlert, { invitationId: alertId, secret, email, ...of }: InvitedPerson): Promise<void> {
    this.demandEmail();
    const { portalUrl } = this.options;
    const reader = readerIn(of);
    const stop = { stopPage: `${portalUrl}/alerts/stop#${secret}`, stopUrl: `${portalUrl}/api/alerts/stop/${secret}` };
    const content = {
      kind: 'ALERT' as const,
      alert,
      tenant: new Speech(reader).tenant(of),
      reader,
      link: `${portalUrl}/${pageOf(alert)}`,
      ...(alert.kind === 'NEW_DEVICE' ? {} : stop),
    };
    await this.add([personMessage(email, `alert:${alertId}`, content)]);
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

/** Of the person alone, in what is stored. */
function readerIn({ language = null, timeZone = null }: Partial<ReadsIn>): ReadsIn {
  return { language, timeZone };
}

function personMessage(recipient: string, cause: string, content: MessageContent): NewMessage {
  return { channel: 'EMAIL', recipient, merchantId: null, transactionId: null, cause, content };
}

function transactionMessage(terminal: TransactionTerminal, channel: Channel, recipient: string): NewMessage {
  const { transactionId, merchantId, notification } = terminal;
  const content = { kind: 'TRANSACTION' as const, payload: notification };
  return { channel, recipient, merchantId, transactionId, cause: `transaction:${transactionId}`, content };
}

function noticeMessage(
  { noticeId, merchantId, kind, actor, occurredAt }: ChangeNotice,
  { email: recipient, ...of }: Addressee,
): NewMessage {
  const content = { kind: 'CHANGE_NOTICE' as const, change: kind, actor, occurredAt, reader: readerIn(of) };
  return { channel: 'EMAIL', recipient, merchantId, transactionId: null, cause: `notice:${noticeId}`, content };
}
