import type { RedeliveryAnswer } from '@paycode/dto';
import { shardOf, type ShardOwnership } from '@paycode/ownership';
import { DomainError } from '@paycode/service-runtime';
import type { Clock } from '@paycode/service-runtime/timing';
import { deliveryFromRepeat } from '../deliveries/domain/delivery';
import type { DeliveryQueue } from '../queueing/delivery-queue';
import type { InformationalStore } from './informational.store';

const repeatsPerPass = 200;
/** Longer than an attempt can take. After it, a repeat whose replica died is due again. */
const leaseMs = 120_000;

/** Flow: informational deliveries whose pause is over -> queue of their endpoint -> one more POST. Runs in passes. */
export class RepeatInformational {
  constructor(
    private readonly store: InformationalStore,
    private readonly queue: DeliveryQueue,
    private readonly shards: Pick<ShardOwnership, 'held' | 'epochOf'>,
    private readonly clock: Clock,
  ) {}

  async pass(): Promise<void> {
    const held = this.shards.held.map(({ shard }) => shard).filter(shard => this.shards.epochOf(shard) !== undefined);
    if (held.length === 0 || !this.queue.hasRoom) return;
    const due = await this.store.takeDue(held, repeatsPerPass, leaseMs);
    const receivedMs = this.clock.nowMs();
    this.queue.accept(
      due.flatMap(repeat => {
        const epoch = this.shards.epochOf(repeat.shard);
        return epoch === undefined ? [] : [deliveryFromRepeat(repeat, { epoch, receivedMs })];
      }),
    );
  }
}

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
