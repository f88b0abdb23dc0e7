import { decisionOf, type Identity, parseNotification, serializeNotification, type VerdictKind } from '@paycode/dto';
import type {
  Acknowledgements,
  MerchantOwners,
  NotificationOpener,
  NotificationStore,
  StoredNotification,
} from './recovery.ports';

/**
 * Flow: notification by id -> may this caller read it -> acknowledge if it is an unacknowledged success -> the notification as it stands.
 * The verdict row serialises all calls: the first commit counts for every caller and for the webhook (R-4.4-3, T-20).
 */
export class RecoverNotification {
  constructor(
    private readonly store: NotificationStore,
    private readonly owners: MerchantOwners,
    private readonly acknowledgements: Acknowledgements,
    private readonly opener: NotificationOpener,
  ) {}

  /** JSON of the notification; undefined when the transaction is unknown, not terminal, or of another merchant. */
  async recover(transactionId: number, caller: Identity): Promise<string | undefined> {
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
    return isReversed(await this.verdictOf(notification)) ? reversed(json) : json;
  }

  /** The merchant itself or its PSP. */
  private async mayRead({ accountType, ownerId }: Identity, merchantId: number): Promise<boolean> {
    if (accountType === 'MERCHANT') return ownerId === merchantId;
    return accountType === 'PSP' && ownerId !== null && (await this.owners.pspOf(merchantId)) === ownerId;
  }

  /** Acknowledges and commits before the reply (P-I9). A notification other than a success is only read. */
  private async verdictOf(notification: StoredNotification): Promise<VerdictKind | null> {
    if (!notification.isReversible || notification.verdict) return notification.verdict;
    return this.acknowledgements.acknowledge(notification);
  }
}

function isReversed(verdict: VerdictKind | null): boolean {
  return verdict !== null && decisionOf(verdict) === 'REVERSED';
}

/** The status is never SUCCESS after the reversal began. */
function reversed(json: string): string {
  return serializeNotification({ ...parseNotification(json), status: 'REVERSED' });
}
