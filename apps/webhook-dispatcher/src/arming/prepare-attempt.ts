import type { Decision, Route } from '@paycode/dto';
import { DataFault, FlushQueue, type FlushPauses } from '@paycode/persistence';
import type { Clock } from '@paycode/service-runtime/timing';
import type { OwnedShards } from '@paycode/ownership';
import type { DeliveryStore } from '../deliveries/deliveries.ports';
import { armed, claimed, type Delivery, versionOf } from '../deliveries/domain/delivery';
import type { Next } from '../deliveries/domain/next-step';
import type { RouteCache } from '../routes/route-cache';
import type { ReversalScheduler } from './reversal-scheduler.client';

const batchMax = { flushMax: 1_000, queueMax: 100_000 };

/**
 * Flow before a POST: route (A-10) -> claim of the attempt (P-I8) -> arm, awaited (P-I5) -> lease, shard and heartbeat once more. Each step
 * works on a batch of all deliveries that have reached it.
 */
export class PrepareAttempt {
  private readonly claims: FlushQueue<Delivery, boolean>;
  private readonly arms: FlushQueue<Delivery, Decision | null>;

  constructor(
    private readonly routes: RouteCache,
    private readonly shards: OwnedShards,
    store: DeliveryStore,
    scheduler: ReversalScheduler,
    private readonly options: { clock: Clock; flushing: FlushPauses },
  ) {
    const limits = { ...batchMax, ...options.flushing };
    this.claims = new FlushQueue(async deliveries => {
      const claimed = new Set(await store.claimAttempts(shards.replica, deliveries));
      return deliveries.map(delivery => claimed.has(delivery.transactionId));
    }, limits);
    this.arms = new FlushQueue(async deliveries => {
      const decisions = await scheduler.arm(
        deliveries.map(({ transactionId, merchantId, attempt }) => ({ transactionId, merchantId, attempt })),
      );
      // An id without an answer is not armed. It becomes an error of that delivery alone (T-29), never a POST without a job
      // (P-I5).
      return deliveries.map(({ transactionId }) => decisionOf(decisions, transactionId));
    }, limits);
  }

  /** Never rejects: what fails after the claim must not lose it, or a replica that leaves would let a claimed attempt pass for one that was sent (P-T9). */
  async prepare(
    delivery: Delivery,
    origin: string,
  ): Promise<Next<'CHECK' | 'REQUEUE' | 'NO_WEBHOOK' | 'DECIDED' | 'HOLD_BACK' | 'FENCED'>> {
    let reached = delivery;
    try {
      const route = await this.routes.current(delivery.merchantId);
      if (route.url === null) return { next: 'NO_WEBHOOK', delivery };
      if (this.routes.lastOrigin(delivery.merchantId) !== origin) return { next: 'REQUEUE', delivery };
      const ours = await this.claim(delivery, route);
      if (!ours) return { next: 'FENCED' };
      reached = ours;
      if (!delivery.isReversible) return { next: 'CHECK', delivery: reached };
      const [decision] = await this.arms.run([reached]);
      reached = armed(reached, this.options.clock.epochMs());
      return decision ? { next: 'DECIDED', delivery: reached, decision } : { next: 'CHECK', delivery: reached };
    } catch (error) {
      return { next: 'HOLD_BACK', delivery: reached, error };
    }
  }

  /** Whether this replica owns the delivery, and no other can judge it dead and POST in its place (P-T6). */
  mayPost({ shard, epoch }: Delivery): boolean {
    return this.shards.epochOf(shard) === epoch && this.shards.isHeartbeatFresh;
  }

  /** Synchronous, so that nothing can change between it and the start of the request. */
  lastLook(delivery: Delivery): Next<'POST' | 'RENEW' | 'NO_WEBHOOK' | 'HOLD_BACK' | 'FENCED'> {
    if (this.shards.epochOf(delivery.shard) !== delivery.epoch) return { next: 'FENCED' };
    // Others may judge this replica dead when its heartbeat is old, and a successor may POST; so it starts no POST
    // (P-T6).
    if (!this.shards.isHeartbeatFresh) return { next: 'HOLD_BACK', delivery };
    const route = this.routes.leasedNow(delivery.merchantId);
    if (!route) return { next: 'RENEW' };
    return route.url === null ? { next: 'NO_WEBHOOK', delivery } : { next: 'POST', route };
  }

  /** Reads the route again. @throws RouteUnavailableError */
  async renew(delivery: Delivery): Promise<void> {
    await this.routes.current(delivery.merchantId);
  }

  /** A first attempt is claimed once more when the merchant has changed its version since: nothing was sent, so the present one counts (R-9-2). */
  private async claim(delivery: Delivery, route: Route): Promise<Delivery | undefined> {
    const version = versionOf(delivery, route);
    const isKept = delivery.isClaimed && delivery.version === version;
    if (isKept) return delivery;
    const wanted = { ...delivery, version };
    if (delivery.isRepeat) return wanted;
    const [isClaimed = false] = await this.claims.run([wanted]);
    return isClaimed ? claimed(wanted) : undefined;
  }
}

function decisionOf(decisions: ReadonlyMap<number, Decision | null>, transactionId: number): Decision | null {
  const decision = decisions.get(transactionId);
  if (decision === undefined) throw new DataFault('the scheduler did not answer for a transaction');
  return decision;
}
