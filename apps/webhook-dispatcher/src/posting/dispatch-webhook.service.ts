import { isDataFault } from '@paycode/persistence';
import type { Clock } from '@paycode/timing';
import type { NotPrepared, PrepareAttempt } from '../arming';
import type { AttemptOutcome, Delivery } from '../deliveries';
import type { DeliveryQueue, Granted, SlotUse } from '../queueing';
import type { Concluded, ConcludeDelivery, OnFenced } from '../verdicts';
import type { PostUnderWay, PostWebhook } from './post-webhook.service';
import type { ConnectionGate } from './posting.ports';

/** A lease that runs out while we look is renewed this often; then the delivery waits a little. */
const looksMax = 3;
/**
 * A delivery that cannot be prepared because of its own data waits this long between tries, in milliseconds: each try costs those beside it statements.
 * It never leaves before it is armed (P-I5), so nothing can be settled or reversed wrongly by it; never sent, it is closed after B (A-12, T-29).
 */
const asideMs = 30_000;

/** Why no request was started. `error`: what kept the delivery from being prepared. */
type NotPosted = { next: NotPrepared } | { next: 'RETRY_LATER'; error?: unknown };
type Ready = { next: 'POST'; post: PostUnderWay } | NotPosted;

export interface DispatchOptions {
  clock: Clock;
  onFenced: OnFenced;
  onHeldBack(error: unknown): void;
  /** Told of a delivery that cannot be prepared because of its own data. */
  onAside(delivery: Delivery, error: unknown): void;
  /** Default: none, connections are opened as they are needed. */
  gate?: ConnectionGate;
}

/**
 * Flow of a delivery: a slot at its endpoint -> prepare (route, claim, arm) -> POST -> verdict. Waiting deliveries are not armed: their 45
 * seconds have not begun (P-1.9).
 */
export class DispatchWebhook {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly preparing: PrepareAttempt,
    private readonly posting: PostWebhook,
    private readonly concluding: ConcludeDelivery,
    private readonly options: DispatchOptions,
  ) {}

  /** Starts what has a slot. */
  startAll(): void {
    for (let granted = this.queue.next(); granted; granted = this.queue.next()) void this.work(granted);
  }

  private async work({ origin, item: delivery }: Granted<Delivery>): Promise<void> {
    const grantedMs = this.options.clock.nowMs();
    const leave = await this.options.gate?.enter(origin);
    const ready = await this.ready(delivery, origin);
    leave?.();
    const startedAt = new Date(this.options.clock.epochMs());
    if (ready.next !== 'POST') return this.notSent(delivery, origin, ready);
    this.queue.posted(delivery);
    const outcome = await ready.post.outcome;
    const slotMs = this.options.clock.nowMs() - grantedMs;
    void ready.post.freed.then(() => this.queue.release(origin, slotUseOf(outcome, slotMs)));
    this.after(delivery, await this.concluding.attempted(delivery, outcome, startedAt));
  }

  /** Everything up to the start of the request. Never rejects: whatever fails before the request is a fault of ours (P-T8). */
  private async ready(delivery: Delivery, origin: string): Promise<Ready> {
    try {
      const prepared = await this.preparing.prepare(delivery, origin);
      if (prepared !== 'READY') return { next: prepared };
      for (let looks = 0; looks < looksMax; looks++) {
        const look = this.preparing.lastLook(delivery);
        if (look.next === 'POST') return { next: 'POST', post: this.posting.start(delivery, look.route) };
        if (look.next !== 'RENEW') return { next: look.next };
        await this.preparing.renew(delivery);
      }
      return { next: 'RETRY_LATER' };
    } catch (error) {
      return { next: 'RETRY_LATER', error };
    }
  }

  private async notSent(delivery: Delivery, origin: string, ready: NotPosted): Promise<void> {
    this.queue.release(origin, ready.next === 'NO_WEBHOOK' ? 'ANSWERED' : 'UNUSED');
    if (ready.next === 'MOVED') return this.queue.requeue(delivery);
    if (ready.next === 'RETRY_LATER' && ready.error) return this.notPrepared(delivery, ready.error);
    this.after(delivery, await this.concludedUnsent(delivery, ready.next));
  }

  private async notPrepared(delivery: Delivery, error: unknown): Promise<void> {
    const isAside = isDataFault(error);
    this.options.onHeldBack(error);
    if (isAside) this.options.onAside(delivery, error);
    this.after(delivery, await this.concluding.heldBack(delivery), isAside ? asideMs : undefined);
  }

  private async concludedUnsent(delivery: Delivery, next: Exclude<NotPosted['next'], 'MOVED'>): Promise<Concluded> {
    switch (next) {
      case 'NO_WEBHOOK':
        return this.concluding.without(delivery, 'NOT_APPLICABLE', 'NO WEBHOOK');
      case 'SETTLED':
      case 'REVERSED':
        return this.concluding.decidedBefore(delivery, next);
      case 'NOT_OURS':
        return 'FENCED';
      case 'RETRY_LATER':
        return this.concluding.heldBack(delivery);
    }
  }

  private after(delivery: Delivery, concluded: Concluded, holdMs?: number): void {
    if (concluded === 'RETRY_LATER') return this.queue.holdBack(delivery, holdMs);
    this.queue.finish(delivery);
    if (concluded === 'FENCED') this.options.onFenced(delivery);
  }
}

function slotUseOf(outcome: AttemptOutcome, slotMs: number): SlotUse {
  if (outcome.kind === 'STATUS') return outcome.elapsedMs * 2 > slotMs ? 'ANSWERED_SLOWLY' : 'ANSWERED';
  return outcome.kind === 'TIMEOUT' ? 'TIMED_OUT' : 'UNUSED';
}
