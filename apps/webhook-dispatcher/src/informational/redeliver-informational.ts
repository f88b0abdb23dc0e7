import type { RedeliveryAnswer } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { shardOf } from '@paycode/ownership';
import type { InformationalStore } from './informational.store';

const refusals = {
  UNKNOWN: { status: 404, reason: 'NO_DELIVERY', message: 'Not Found' },
  MOVES_MONEY: {
    status: 409,
    reason: 'MOVES_MONEY',
    message: 'a payment is never delivered again by hand: its reversal may have begun',
  },
  UNDER_WAY: { status: 409, reason: 'UNDER_WAY', message: 'the first delivery is still under way' },
} as const;

/** Flow: operator -> one more attempt of an informational delivery, now. */
export class RedeliverInformational {
  constructor(private readonly informational: InformationalStore) {}

  /** @throws DomainError 404, 409 */
  async redeliver(transactionId: number): Promise<RedeliveryAnswer> {
    const outcome = await this.informational.redeliver(transactionId, shardOf(transactionId));
    if (outcome !== 'SCHEDULED') throw new DomainError(refusals[outcome]);
    return { transactionId, outcome };
  }
}
