import type { PayloadSealer } from '@paycode/crypto';
import {
  decisionOf,
  type Identity,
  inVersion,
  parseNotification,
  rewriteNotification,
  type Route,
  storedVersion,
  type VerdictKind,
} from '@paycode/dto';
import { FlushQueue } from '@paycode/persistence';
import type { SettleReversals } from '../verdicts/settle-reversals';
import type { VerdictStore } from '../verdicts/verdict.store';
import type { NotificationStore, StoredNotification } from './notification.store';

/** The PSP that owns a merchant, and the payload version that it has chosen. @throws when notification-config cannot be asked now */
export interface MerchantRoutes {
  current(merchantId: number): Promise<Pick<Route, 'pspId' | 'version'>>;
}

/** The account that asks. */
export type NotificationReader = Pick<Identity, 'accountType' | 'ownerId'>;

/**
 * Flow: notification by id -> may this caller read it -> acknowledge if it is a success that nobody has acknowledged and the core has not
 * reversed -> the notification as it stands after that.
 *
 * The verdict row serialises all calls: the first commit counts for every caller and for the webhook (R-4.4-3, T-20). A reversal by the
 * core needs no lock. The statement that acknowledges also looks for the reversal, in its own snapshot: a reversal that committed before is
 * found, and nothing is acknowledged. One that commits later is newer than the acknowledgement. The answer is read after the commit of the
 * acknowledgement, in one snapshot of verdict and reversals, so it says REVERSED in both cases.
 */
export class RecoverNotification {
  constructor(
    private readonly store: Pick<NotificationStore, 'find'>,
    private readonly routes: MerchantRoutes,
    private readonly acknowledgements: Pick<AcknowledgeByPull, 'acknowledge'>,
    private readonly opener: Pick<PayloadSealer, 'openText'>,
  ) {}

  /** JSON of the notification in its payload version; undefined when the transaction is unknown, not terminal, or of another merchant. */
  async recover(transactionId: number, caller: NotificationReader): Promise<string | undefined> {
    const notification = await this.store.find(transactionId);
    if (!notification || !(await this.mayRead(caller, notification.merchantId))) return undefined;
    return this.read(notification);
  }

  /** As the programs of this merchant read it. */
  async recoverFor(transactionId: number, merchantId: number): Promise<string | undefined> {
    const notification = await this.store.find(transactionId);
    return notification?.merchantId === merchantId ? this.read(notification) : undefined;
  }

  private async read(notification: StoredNotification): Promise<string> {
    const json = this.opener.openText(notification.payload);
    // Throws before the acknowledgement: a merchant that cannot read its notification here must not lose the reversal by asking.
    if (notification.version !== null) inVersion(notification.version, json);
    const standing = await this.acknowledged(notification);
    return inVersion(await this.versionOf(standing), isReversed(standing) ? reversed(json) : json);
  }

  /** As it was sent; one that was not, as it would be sent now. */
  private async versionOf({ version, merchantId }: StoredNotification): Promise<string> {
    if (version !== null) return version;
    // Without the route the stored version counts: the merchant must not wait until notification-config answers.
    const route = await this.routes.current(merchantId).catch(() => null);
    return route?.version ?? storedVersion;
  }

  /** The merchant itself or its PSP. */
  private async mayRead({ accountType, ownerId }: NotificationReader, merchantId: number): Promise<boolean> {
    if (accountType === 'MERCHANT') return ownerId === merchantId;
    return accountType === 'PSP' && ownerId !== null && (await this.routes.current(merchantId)).pspId === ownerId;
  }

  /** Acknowledges and commits before the reply (P-I9). A notification other than a success is only read. */
  private async acknowledged(notification: StoredNotification): Promise<StoredNotification> {
    const { transactionId, isReversible, verdict, isReversedByCore } = notification;
    if (!isReversible || verdict || isReversedByCore) return notification;
    await this.acknowledgements.acknowledge(notification);
    const standing = await this.store.find(transactionId);
    if (!standing) throw new Error('the notification was deleted while it was read');
    return standing;
  }
}

/**
 * Whether the money went back or is on its way. The core's word counts more than the verdict: it may reverse what was acknowledged,
 * and when it could not reverse what it was asked to, the payment stands.
 */
function isReversed({ isReversible, verdict, isReversedByCore }: StoredNotification): boolean {
  if (!isReversible) return false;
  return isReversedByCore ?? (verdict !== null && decisionOf(verdict) === 'REVERSED');
}

/** The status is never SUCCESS after the reversal began. */
function reversed(json: string): string {
  return rewriteNotification({ ...parseNotification(json), status: 'REVERSED' });
}

/**
 * Writes ACKED_PULL into the verdict register and tells the scheduler. A failed write rejects, because the reply must not be sent
 * without the verdict. Nothing is sent when the core has given the money back: then nothing was written.
 */
export class AcknowledgeByPull {
  private readonly acks: FlushQueue<StoredNotification, VerdictKind | null>;

  constructor(
    verdicts: VerdictStore,
    private readonly settling: Pick<SettleReversals, 'add'>,
  ) {
    const write = (notifications: readonly StoredNotification[]) => verdicts.acknowledge(notifications.map(verdictFor));
    this.acks = new FlushQueue(write, { flushMax: 1_000, queueMax: 10_000 });
  }

  /** Resolves after the commit. */
  async acknowledge(notification: StoredNotification): Promise<void> {
    const [verdict] = await this.acks.run([notification]);
    const { transactionId, merchantId } = notification;
    if (verdict) this.settling.add({ transactionId, merchantId, verdict });
  }
}

function verdictFor({ transactionId, merchantId, attemptsClaimed }: StoredNotification) {
  const none = { outcome: null, elapsedMs: null, armedAt: null, startedAt: null };
  return { ...none, transactionId, merchantId, kind: 'ACKED_PULL' as const, attempt: attemptsClaimed || null };
}
