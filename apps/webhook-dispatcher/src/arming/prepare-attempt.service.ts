import type { Decision, Route } from '@paycode/dto';
import { DataFault, FlushQueue } from '@paycode/persistence';
import type { Clock } from '@paycode/timing';
import type { OwnedShards } from '@paycode/ownership';
import type { Delivery, DeliveryStore } from '../deliveries';
import type { RouteCache } from '../routes';
import type { ReversalScheduler } from './arming.ports';

/** Why a delivery was not prepared. What could not be tried throws. */
export type NotPrepared =
  /** The merchant has no webhook: settled without one. */
  | 'NO_WEBHOOK'
  /** Acknowledged or somebody else's by now: nothing to do. */
  | 'NOT_OURS'
  /** The scheduler has decided: no POST. */
  | Decision
  /** The merchant's webhook is at another endpoint than the one whose slot was granted. */
  | 'MOVED';

/** READY: claimed and armed, may start as soon as the last look allows. */
export type Prepared = 'READY' | NotPrepared;

export type LastLook =
  /** Start before anything else happens: the lease is running. */
  | { next: 'POST'; route: Route }
  | { next: 'NO_WEBHOOK' | 'NOT_OURS' }
  /** The lease ran out meanwhile: read the route again and look again. */
  | { next: 'RENEW' }
  /** Not now, for a reason of ours. */
  | { next: 'RETRY_LATER' };

const batchMax = { flushMax: 1_000, queueMax: 100_000 };

/**
 * Flow before a POST: route (A-10) -> claim of the attempt (P-I8) -> arm, awaited (P-I5) -> lease, shard and heartbeat once more. Every step is
 * batched over all deliveries that are at it.
 */
export class PrepareAttempt {
  private readonly claims: FlushQueue<Delivery, boolean>;
  private readonly arms: FlushQueue<Delivery, Decision | null>;

  constructor(
    private readonly routes: RouteCache,
    private readonly shards: OwnedShards,
    store: DeliveryStore,
    scheduler: ReversalScheduler,
    private readonly options: { clock: Clock; spacing?: () => Promise<void> },
  ) {
    const limits = { ...batchMax, spacing: options.spacing };
    this.claims = new FlushQueue(async deliveries => {
      const claimed = new Set(await store.claimAttempts(shards.replica, deliveries));
      return deliveries.map(delivery => claimed.has(delivery.transactionId));
    }, limits);
    this.arms = new FlushQueue(async deliveries => {
      const decisions = await scheduler.arm(
        deliveries.map(({ transactionId, merchantId, attempt }) => ({ transactionId, merchantId, attempt })),
      );
      // An id without an answer is not armed: an error rather than a POST without a job (P-I5), and that delivery's alone (T-29).
      return deliveries.map(({ transactionId }) => decisionOf(decisions, transactionId));
    }, limits);
  }

  /** @throws whatever the route, the store or the scheduler throws: a fault of ours (P-T8) */
  async prepare(delivery: Delivery, origin: string): Promise<Prepared> {
    const route = await this.routes.current(delivery.merchantId);
    if (route.url === null) return 'NO_WEBHOOK';
    if (this.routes.lastOrigin(delivery.merchantId) !== origin) return 'MOVED';
    if (!(await this.claim(delivery))) return 'NOT_OURS';
    if (!delivery.isReversible) return 'READY';
    const [decision] = await this.arms.run([delivery]);
    delivery.armedAt = new Date(this.options.clock.epochMs());
    return decision ?? 'READY';
  }

  /** Synchronous, so that nothing can change between it and the start of the request. */
  lastLook(delivery: Delivery): LastLook {
    if (this.shards.epochOf(delivery.shard) !== delivery.epoch) return { next: 'NOT_OURS' };
    // An owner that may be taken for dead starts no POST: its successor may be about to (P-T6).
    if (!this.shards.isHeartbeatFresh) return { next: 'RETRY_LATER' };
    const route = this.routes.leasedNow(delivery.merchantId);
    if (!route) return { next: 'RENEW' };
    return route.url === null ? { next: 'NO_WEBHOOK' } : { next: 'POST', route };
  }

  /** Reads the route again. @throws RouteUnavailableError */
  async renew(delivery: Delivery): Promise<void> {
    await this.routes.current(delivery.merchantId);
  }

  private async claim(delivery: Delivery): Promise<boolean> {
    if (delivery.isClaimed) return true;
    const [isClaimed = false] = await this.claims.run([delivery]);
    delivery.isClaimed = isClaimed;
    return isClaimed;
  }
}

function decisionOf(decisions: ReadonlyMap<number, Decision | null>, transactionId: number): Decision | null {
  const decision = decisions.get(transactionId);
  if (decision === undefined) throw new DataFault('the scheduler did not answer for a transaction');
  return decision;
}
