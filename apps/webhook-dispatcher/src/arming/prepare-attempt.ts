import type { Decision, Route } from '@paycode/dto';
import { DataFault, FlushQueue, type FlushPauses } from '@paycode/persistence';
import type { Clock } from '@paycode/service-runtime/timing';
import type { OwnedShards } from '@paycode/ownership';
import type { DeliveryStore } from '../deliveries/deliveries.ports';
import { chargedOutcome, isZoneFailure } from '../deliveries/domain/attempt-rules';
import {
  armed,
  type AttemptOutcome,
  claimed,
  type Connection,
  type Delivery,
  type Next,
  versionOf,
  zoneFailing,
} from '../deliveries/domain/delivery';
import type { ConnectFirst, Unreachable } from '../posting/post-webhook';
import type { RouteCache } from '../routes/route-cache';
import type { ReversalScheduler } from './reversal-scheduler.client';

const batchMax = { flushMax: 1_000, queueMax: 100_000 };

type Prepared = Next<'CHECK' | 'UNREACHABLE' | 'REQUEUE' | 'NO_WEBHOOK' | 'DECIDED' | 'HOLD_BACK' | 'FENCED'>;
type Line = Connection | Unreachable;

/**
 * Flow before a POST: route (A-10) -> connection (P-T13) -> claim of the attempt (P-I8) -> arm, awaited (P-I5) -> lease, shard and
 * heartbeat once more. Route, claim and arm work on a batch of all deliveries that have reached them.
 */
export class PrepareAttempt {
  private readonly claims: FlushQueue<Delivery, boolean>;
  private readonly arms: FlushQueue<Delivery, Decision | null>;

  constructor(
    private readonly routes: RouteCache,
    private readonly shards: OwnedShards,
    store: DeliveryStore,
    scheduler: ReversalScheduler,
    private readonly options: { clock: Clock; flushing: FlushPauses; connecting: Pick<ConnectFirst, 'to'> },
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
  async prepare(delivery: Delivery, origin: string): Promise<Prepared> {
    let line: Line | undefined;
    try {
      let route = await this.routeOf(delivery, origin);
      if ('next' in route) return route;
      const connecting = this.options.connecting.to(route);
      line = connecting instanceof Promise ? await this.connected(delivery, connecting) : connecting;
      // The wait may be long: the delivery may have another owner after it, and its merchant another endpoint.
      if (line !== connecting) route = await this.routeOf(delivery, origin);
      const prepared = 'next' in route ? route : await this.arm(delivery, route, line);
      if (prepared.next !== 'CHECK') giveBack(line);
      return prepared;
    } catch (error) {
      if (line) giveBack(line);
      return this.notConnected(delivery, error);
    }
  }

  /** Name of the connections that it will wait for, as last known. `origin`: that of its queue. */
  lineOf({ merchantId }: Delivery, origin: string): string {
    return this.routes.lastLine(merchantId) ?? origin;
  }

  private notConnected(delivery: Delivery, error: unknown): Next<'HOLD_BACK'> {
    const isZone = isZoneFailure(faultOf(error));
    return { next: 'HOLD_BACK', delivery: isZone ? zoneFailing(delivery, this.options.clock.nowMs()) : delivery, error };
  }

  /** A zone that has failed for too long is a fault of its receiver, although it is one of ours at first (P-T8). */
  private async connected(delivery: Delivery, connecting: Promise<Line>): Promise<Line> {
    try {
      return await connecting;
    } catch (error) {
      const outcome = chargedOutcome(faultOf(error), delivery, this.options.clock.nowMs());
      if (outcome.kind === 'CONNECTION') return { code: outcome.code };
      throw error;
    }
  }

  private async routeOf(delivery: Delivery, origin: string): Promise<Route | Next<'NO_WEBHOOK' | 'REQUEUE' | 'FENCED'>> {
    const route = await this.routes.current(delivery.merchantId);
    if (this.shards.epochOf(delivery.shard) !== delivery.epoch) return { next: 'FENCED' };
    return this.elsewhere(delivery, route.url, origin) ?? route;
  }

  private elsewhere(delivery: Delivery, url: string | null, origin: string): Next<'NO_WEBHOOK' | 'REQUEUE'> | undefined {
    if (url === null) return { next: 'NO_WEBHOOK', delivery };
    return this.routes.lastOrigin(delivery.merchantId) === origin ? undefined : { next: 'REQUEUE', delivery };
  }

  /** Never rejects. A receiver that cannot be reached is armed, too: its verdict is one of an attempt. */
  private async arm(
    delivery: Delivery,
    route: Route,
    line: Line,
  ): Promise<Next<'CHECK' | 'UNREACHABLE' | 'DECIDED' | 'HOLD_BACK' | 'FENCED'>> {
    let reached = delivery;
    try {
      const ours = await this.claim(delivery, route);
      if (!ours) return { next: 'FENCED' };
      reached = ours;
      if (delivery.isReversible) {
        const [decision] = await this.arms.run([reached]);
        reached = armed(reached, this.options.clock.epochMs());
        if (decision) return { next: 'DECIDED', delivery: reached, decision };
      }
      if ('code' in line) return { next: 'UNREACHABLE', delivery: reached, code: line.code };
      return { next: 'CHECK', delivery: reached, connection: line };
    } catch (error) {
      return { next: 'HOLD_BACK', delivery: reached, error };
    }
  }

  /** Whether this replica owns the delivery, and no other can judge it dead and POST in its place (P-T6). */
  mayPost({ shard, epoch }: Delivery): boolean {
    return this.shards.epochOf(shard) === epoch && this.shards.isHeartbeatFresh;
  }

  /** Synchronous, so that nothing can change between it and the start of the request. `origin`: the endpoint of its connection. */
  lastCheck(delivery: Delivery, origin: string): Next<'POST' | 'RENEW' | 'NO_WEBHOOK' | 'REQUEUE' | 'HOLD_BACK' | 'FENCED'> {
    if (this.shards.epochOf(delivery.shard) !== delivery.epoch) return { next: 'FENCED' };
    // Others may judge this replica dead when its heartbeat is old, and a successor may POST; so it starts no POST
    // (P-T6).
    if (!this.shards.isHeartbeatFresh) return { next: 'HOLD_BACK', delivery };
    const route = this.routes.leasedNow(delivery.merchantId);
    if (!route) return { next: 'RENEW' };
    return this.elsewhere(delivery, route.url, origin) ?? { next: 'POST', route };
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

function faultOf(error: unknown): AttemptOutcome {
  return { kind: 'OUR_FAULT', code: (error as { code?: string }).code ?? 'OTHER', isSent: false };
}

function giveBack(line: Line): void {
  if ('giveBack' in line) line.giveBack();
}

function decisionOf(decisions: ReadonlyMap<number, Decision | null>, transactionId: number): Decision | null {
  const decision = decisions.get(transactionId);
  if (decision === undefined) throw new DataFault('the scheduler did not answer for a transaction');
  return decision;
}
