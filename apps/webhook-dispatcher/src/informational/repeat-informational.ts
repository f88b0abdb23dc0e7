import type { Clock } from '@paycode/timing';
import type { ShardOwnership } from '@paycode/ownership';
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
