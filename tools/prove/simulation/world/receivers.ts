import type { PostObserver, WebhookPoster, WebhookRequest } from '../../../../apps/webhook-dispatcher/src/posting/post-webhook';
import type { SimProcess } from '../engine/sim-process.ts';
import type { Timeline } from '../engine/timeline.ts';
import type { PostGhost } from './watcher.ts';
import { type ReceiverTrouble, receiverTroubles, type Swarm } from './swarm.ts';

/** Merchants of two paths of one origin, in the seeds that have them. */
export const sharedOrigin = {
  silent: { merchantId: 5, origin: 'https://shops.example.com', path: '/silent' },
  neighbour: { merchantId: 6, origin: 'https://shops.example.com', path: '/hook' },
};

type Observer = PostObserver & { done(): void };

/** The outcome of a request. */
type Fate =
  | { kind: 'answer'; status: number; afterMs: number }
  | { kind: 'silence' }
  | { kind: 'failure'; code: string; afterMs: number; isOurs: boolean; isStale: boolean; isSent: boolean };

export interface ReceiversContext {
  timeline: Timeline;
  swarm: Swarm;
  /** Whether the platform caused the failure; some mutations ignore it. */
  isOurFault: boolean;
  isAlwaysStale: boolean;
  /** How many requests of a process are open now. */
  opened(transactionId: number, count: number): void;
  posted(request: WebhookRequest, post: PostGhost): void;
  /** An answer has reached the kernel of the process that asked. */
  answered(answer: { transactionId: number; status: number; isInTime: boolean; process: SimProcess }): void;
}

export const ackWindowMs = 45_000;

/** The world outside: endpoints that answer, refuse, hang and reset, one fate per request. */
export class Receivers {
  private active = true;
  /** Of each transaction. */
  private readonly lastPosts = new Map<number, PostGhost>();
  /** Open requests, by life of a process. */
  private readonly open = new Map<string, number>();

  constructor(readonly context: ReceiversContext) {}

  /** From now on every request is answered 200 at once. */
  calmDown(): void {
    this.active = false;
  }

  /** The poster of a dispatcher. */
  posterOf(process: SimProcess, epochOf: (transactionId: number) => number): WebhookPoster {
    return { post: (request: WebhookRequest, observer: Observer) => this.post(request, observer, { process, epochOf }) };
  }

  private post(
    request: WebhookRequest,
    observer: Observer,
    { process, epochOf }: { process: SimProcess; epochOf: (transactionId: number) => number },
  ): { abort(): void } {
    const transactionId = Number(request.headers['x-webhook-transaction-id']);
    const attempt = Number(request.headers['x-webhook-attempt']);
    // A repeat on a fresh socket belongs to the attempt of the first request and runs in its window (P-T7).
    const first = request.onFreshSocket ? this.lastPosts.get(transactionId) : undefined;
    const post: PostGhost = {
      attempt,
      identity: process.identity,
      epoch: first?.epoch ?? epochOf(transactionId),
      sentAtMs: first?.sentAtMs,
      isRepeat: request.onFreshSocket,
      wasOurFault: false,
      wasStale: false,
    };
    this.lastPosts.set(transactionId, post);
    this.context.posted(request, post);
    this.count(post, 1);
    this.context.opened(transactionId, this.open.get(post.identity)!);
    const closed = () => this.count(post, -1);
    const exchange = new Exchange({ process, observer, post, transactionId, closed, context: this.context });
    exchange.meet(this.fateOf(request));
    return { abort: () => exchange.abort() };
  }

  private count({ identity }: PostGhost, change: number): void {
    this.open.set(identity, (this.open.get(identity) ?? 0) + change);
  }

  private fateOf(request: WebhookRequest): Fate {
    if (request.url.endsWith(sharedOrigin.silent.path)) return { kind: 'silence' };
    const { random } = this.context.timeline;
    const trouble = this.active ? this.troubleFrom(random.next()) : undefined;
    if (trouble) this.context.timeline.faults.add(`receiver ${trouble}`);
    if (trouble === 'stale' && request.onFreshSocket) return { kind: 'answer', status: 200, afterMs: 20 };
    return fates[trouble ?? 'none'](this.context);
  }

  /** Maps a random number to a trouble by their strengths; most numbers give none. */
  private troubleFrom(point: number): ReceiverTrouble | undefined {
    let edge = 0;
    return receiverTroubles.find(trouble => point < (edge += this.context.swarm.receiver[trouble]));
  }
}

const failure = { kind: 'failure', isOurs: false, isStale: false, isSent: false } as const;
const between = (context: ReceiversContext, min: number, max: number) => context.timeline.random.between(min, max);

const fates: Record<ReceiverTrouble | 'none', (context: ReceiversContext) => Fate> = {
  none: context => ({ kind: 'answer', status: 200, afterMs: between(context, 1, 200) }),
  slow: context => ({ kind: 'answer', status: 200, afterMs: between(context, 200, 44_000) }),
  edge: context => ({ kind: 'answer', status: 200, afterMs: between(context, 44_000, 44_999) }),
  late: context => ({ kind: 'answer', status: 200, afterMs: between(context, 45_001, 61_000) }),
  refusing: context => ({
    kind: 'answer',
    status: context.timeline.random.pick([201, 204, 302, 400, 404, 500, 503]),
    afterMs: between(context, 1, 20_000),
  }),
  hanging: () => ({ kind: 'silence' }),
  reset: context => ({ ...failure, code: 'ECONNRESET', afterMs: between(context, 1, 30_000), isSent: true }),
  unreachable: context => ({ ...failure, code: 'ECONNREFUSED', afterMs: between(context, 1, 9_000) }),
  stale: () => ({ ...failure, code: 'UND_ERR_SOCKET', afterMs: 2, isStale: true, isSent: true }),
  ourFault: context => ({ ...failure, code: 'EMFILE', afterMs: between(context, 1, 100), isOurs: true }),
  ourFaultAfterSend: context => ({
    ...failure,
    code: 'ENOBUFS',
    afterMs: between(context, 1, 5_000),
    isOurs: true,
    isSent: true,
  }),
};

interface ExchangeParts {
  process: SimProcess;
  observer: Observer;
  post: PostGhost;
  transactionId: number;
  closed(): void;
  context: ReceiversContext;
}

/** One request on its way. */
class Exchange {
  private isOver = false;

  constructor(private readonly parts: ExchangeParts) {}

  meet(fate: Fate): void {
    const { process, context } = this.parts;
    const connectMs = between(context, 1, 30);
    if (fate.kind !== 'failure' || fate.isSent) process.arrives(connectMs, () => this.sent());
    if (fate.kind === 'answer') this.answer(fate.status, connectMs, fate.afterMs);
    else if (fate.kind === 'failure') this.fail(fate, connectMs + fate.afterMs);
  }

  abort(): void {
    if (!this.end()) return;
    this.parts.process.arrives(0, () => this.parts.observer.done());
  }

  private sent(): void {
    if (this.isOver) return;
    this.parts.post.sentAtMs ??= this.parts.context.timeline.nowMs;
    this.parts.observer.sent();
  }

  /** False when it was over before. */
  private end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.parts.closed();
    return true;
  }

  /**
   * Whether the answer is within the window of the sending process; an answer that arrives during a stall counts at its arrival (P-T1,
   * P-T3).
   */
  private isInTime(): boolean {
    const { process, post, context } = this.parts;
    const elapsedMs = context.timeline.nowMs - (post.sentAtMs ?? context.timeline.nowMs);
    return elapsedMs <= ackWindowMs || process.isPaused;
  }

  private answer(status: number, connectMs: number, afterMs: number): void {
    const { process, observer, transactionId, context } = this.parts;
    // It is in the kernel now, whatever the process is doing.
    context.timeline.after(connectMs + afterMs, () => {
      if (!this.isOver && process.identity === this.parts.post.identity)
        context.answered({ transactionId, status, isInTime: this.isInTime(), process });
    });
    process.arrives(connectMs + afterMs, () => {
      if (!this.end()) return;
      observer.answered(status);
      observer.done();
    });
  }

  private fail(fate: Extract<Fate, { kind: 'failure' }>, afterMs: number): void {
    const { process, observer, post, context } = this.parts;
    process.arrives(afterMs, () => {
      if (!this.end()) return;
      post.wasOurFault = fate.isOurs;
      post.wasStale = fate.isStale;
      const isStaleSocket = fate.isStale || context.isAlwaysStale;
      observer.failed({ code: fate.code, isOurs: fate.isOurs && context.isOurFault, isStaleSocket });
      observer.done();
    });
  }
}
