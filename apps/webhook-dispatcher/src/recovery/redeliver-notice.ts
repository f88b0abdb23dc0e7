import type { RedeliveryAnswer } from '@paycode/dto';
import type { RedeliverInformational } from '../informational';
import type { NotificationStore } from './recovery.ports';

/** Flow: notification by id, of that merchant -> one more attempt, now, if it moves no money: a rehearsal in the sandbox. */
export class RedeliverNotice {
  constructor(
    private readonly store: NotificationStore,
    private readonly redeliverNotice: Pick<RedeliverInformational, 'redeliver'>,
  ) {}

  /** undefined: the transaction is unknown, not terminal, or of another merchant. @throws DomainError 409 for a payment, and before its first delivery has ended */
  async repeat(transactionId: number, merchantId: number): Promise<RedeliveryAnswer | undefined> {
    const notification = await this.store.find(transactionId);
    return notification?.merchantId === merchantId ? this.redeliverNotice.redeliver(transactionId) : undefined;
  }
}
