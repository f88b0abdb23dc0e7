import { isDataFault } from '@paycode/persistence';
import type { Clock } from '@paycode/service-runtime/timing';
import type { PrepareAttempt } from '../arming/prepare-attempt';
import type { DeliveryMetrics } from '../deliveries/deliveries.ports';
import type { AttemptOutcome, Delivery, Next, PostUnderWay } from '../deliveries/domain/delivery';
import type { DeliveryQueue } from '../queueing/delivery-queue';
import type { Granted, SlotUse } from '../queueing/domain/origin-queues';
import type { TakeOverDeliveries } from '../takeover/take-over-deliveries';
import type { Concluded, ConcludeDelivery } from '../verdicts/conclude-delivery';
import type { HandshakeGate } from './handshake-gate';
import type { PostWebhook } from './post-webhook';

/** A lease that runs out during the checks is renewed this many times; then the delivery waits a little. */
const checksMax = 3;
/** A longer wait for the handshake of a connection says that there are too many new connections. */
const gateMsExpected = 5_000;
const waitsForHandshakes = () => Object.assign(new Error('a new connection waited for its turn'), { code: 'HANDSHAKES' });
/**
 * Pause between tries, in milliseconds, for a delivery whose own data prevents its preparation: each try costs the other deliveries of its
 * batch further statements. It is not sent before it is armed (P-I5), so waiting cannot settle or reverse it wrongly. If it is never sent,
 * it is closed after B (A-12, T-29).
 */
const parkedMs = 30_000;

/** No request was started. */
type NotPosted = Next<'REQUEUE' | 'NO_WEBHOOK' | 'DECIDED' | 'HOLD_BACK' | 'FENCED'>;

export interface DispatchParts {
  clock: Clock;
  takeover: Pick<TakeOverDeliveries, 'fenced'>;
  metrics: Pick<DeliveryMetrics, 'heldBack' | 'workParked'>;
  /** Default: none, connections are opened as they are needed. */
  gate?: Pick<HandshakeGate, 'enter'>;
}

/**
 * Flow of a delivery: a slot for its merchant at its endpoint -> prepare (route, connection, claim, arm) -> POST -> verdict. Waiting
 * deliveries are not armed, so their 45 seconds have not begun (P-1.9).
 */
export class DispatchWebhook {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly preparing: PrepareAttempt,
    private readonly posting: PostWebhook,
    private readonly concluding: ConcludeDelivery,
    private readonly parts: DispatchParts,
  ) {}

  /** Starts every delivery that gets a slot. */
  startAll(): void {
    for (let granted = this.queue.next(); granted; granted = this.queue.next()) void this.work(granted);
  }

  private async work(granted: Granted<Delivery>): Promise<void> {
    const { origin, item } = granted;
    const { clock, gate } = this.parts;
    const grantedMs = clock.nowMs();
    const leave = await gate?.enter(this.preparing.lineOf(item, origin));
    if (clock.nowMs() - grantedMs > gateMsExpected) this.parts.metrics.heldBack(waitsForHandshakes());
    const step = await this.start(item, origin);
    leave?.();
    const startedAt = new Date(clock.epochMs());
    if (step.next !== 'AWAIT') return this.notPosted(step, granted);
    const { delivery, post } = step;
    this.queue.posted(delivery);
    const outcome = await post.outcome;
    const slotMs = clock.nowMs() - grantedMs;
    void post.freed.then(() => this.queue.release(granted, slotUseOf(outcome, slotMs)));
    this.after(delivery, await this.concluding.attempted(delivery, outcome, startedAt));
  }

  /** All steps before the request, and its start. Never rejects: a failure before the request is a fault of the platform (P-T8). */
  private async start(held: Delivery, origin: string): Promise<Next<'AWAIT'> | NotPosted> {
    const prepared = await this.preparing.prepare(held, origin);
    if (prepared.next === 'UNREACHABLE') return { ...prepared, next: 'AWAIT', post: unreachable(prepared.code) };
    if (prepared.next !== 'CHECK') return prepared;
    const step = await this.startOn(prepared, origin);
    if (step.next !== 'AWAIT') prepared.connection.giveBack();
    return step;
  }

  private async startOn({ delivery, connection }: Next<'CHECK'>, origin: string): Promise<Next<'AWAIT'> | NotPosted> {
    try {
      for (let checks = 0; checks < checksMax; checks++) {
        const check = this.preparing.lastCheck(delivery, origin);
        if (check.next === 'POST') {
          const mayPost = () => this.preparing.mayPost(delivery);
          const post = this.posting.start(delivery, check.route, { mayPost, connection });
          return { next: 'AWAIT', delivery, post };
        }
        if (check.next !== 'RENEW') return check;
        await this.preparing.renew(delivery);
      }
      return { next: 'HOLD_BACK', delivery };
    } catch (error) {
      return { next: 'HOLD_BACK', delivery, error };
    }
  }

  private async notPosted(step: NotPosted, granted: Granted<Delivery>): Promise<void> {
    this.queue.release(granted, step.next === 'NO_WEBHOOK' ? 'ANSWERED' : 'UNUSED');
    switch (step.next) {
      case 'REQUEUE':
        return this.queue.requeue(step.delivery);
      case 'NO_WEBHOOK':
        return this.after(step.delivery, await this.concluding.without(step.delivery, 'NOT_APPLICABLE', 'NO WEBHOOK'));
      case 'DECIDED':
        return this.after(step.delivery, await this.concluding.decidedBefore(step.delivery, step.decision));
      case 'HOLD_BACK':
        return this.holdBack(step);
      case 'FENCED':
        return this.after(granted.item, step);
    }
  }

  private async holdBack({ delivery, ...fault }: Next<'HOLD_BACK'>): Promise<void> {
    const isParked = isDataFault(fault.error);
    if ('error' in fault) this.parts.metrics.heldBack(fault.error);
    if (isParked) this.parts.metrics.workParked('send', delivery.transactionId, fault.error);
    this.after(delivery, await this.concluding.heldBack(delivery), isParked ? parkedMs : undefined);
  }

  private after(delivery: Delivery, concluded: Concluded, holdMs?: number): void {
    if (concluded.next === 'RETRY_LATER') return this.queue.holdBack(concluded.delivery, holdMs);
    this.queue.finish(delivery);
    if (concluded.next === 'FENCED') this.parts.takeover.fenced(delivery);
  }
}

/** An attempt that ended before its request could start. */
function unreachable(code: string): PostUnderWay {
  return { outcome: Promise.resolve({ kind: 'CONNECTION', code, elapsedMs: null }), freed: Promise.resolve() };
}

function slotUseOf(outcome: AttemptOutcome, slotMs: number): SlotUse {
  if (outcome.kind === 'STATUS') return outcome.elapsedMs * 2 > slotMs ? 'ANSWERED_SLOWLY' : 'ANSWERED';
  return outcome.kind === 'TIMEOUT' ? 'TIMED_OUT' : 'UNUSED';
}
