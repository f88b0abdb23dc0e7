import type { Connection } from '../../../../apps/webhook-dispatcher/src/deliveries/domain/delivery';
import type {
  Connecting,
  ConnectObserver,
  PostObserver,
  WebhookPoster,
  WebhookRequest,
} from '../../../../apps/webhook-dispatcher/src/posting/post-webhook';
import { type DialFault, OriginPool, type Pooled } from '../../../../apps/webhook-dispatcher/src/posting/origin-pool';
import type { SimProcess } from '../engine/sim-process.ts';
import type { Timeline } from '../engine/timeline.ts';
import type { PostGhost } from './watcher.ts';
import { type ReceiverTrouble, receiverTroubles, type Swarm } from './swarm.ts';

/** Merchants of two paths of one origin, in the seeds that have them. */
export const sharedOrigin = {
  silent: { merchantId: 5, origin: 'https://shops.example.com', path: '/silent' },
  neighbour: { merchantId: 6, origin: 'https://shops.example.com', path: '/hook' },
};

/** A receiver that does one handshake after the other, and answers slowly: a cold fleet waits for it longer than a connection may take. */
export const coldMerchant = { merchantId: 7, origin: 'https://cold.example.com', path: '/hook' };
const handshakeMs = 1_500;
const coldAnswerMs = 4_000;
/** A connection that takes longer is given up. */
const dialMsMax = 12_000;

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
  /** ARM_FIRST: the request opens its connection. */
  opensLate: boolean;
  /** Whether a wait that our own congestion caused is known as such. */
  knowsCongestion: boolean;
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
  /** By life of a process and origin. */
  /** By process. */
  private readonly dialing = new Map<string, { count: number }>();
  private readonly pools = new Map<string, OriginPool<SimConnection>>();
  /** When the handshakes that began until now are done, by origin. */
  private readonly handshakesDoneMs = new Map<string, number>();

  constructor(readonly context: ReceiversContext) {}

  /** From now on every request is answered 200 at once. */
  calmDown(): void {
    this.active = false;
  }

  /** The poster of a dispatcher. */
  posterOf(process: SimProcess, epochOf: (transactionId: number) => number): WebhookPoster {
    const late: Connection = { giveBack: () => undefined };
    return {
      take: url => (this.context.opensLate ? late : this.take(url, process)),
      connect: (url, observer) => this.connect(url, observer, process),
      post: (request: WebhookRequest, observer: Observer, connection) =>
        this.post(request, observer, { process, epochOf, connection: connection === late ? undefined : connection }),
    };
  }

  private take(url: string, process: SimProcess): Connection | undefined {
    const pool = this.poolOf(process, url);
    const connection = pool.take();
    if (connection) pool.usedTaken();
    return connection?.in(pool);
  }

  private connect(url: string, observer: ConnectObserver, process: SimProcess): Connecting {
    const pool = this.poolOf(process, url);
    const giveUp = pool.wait({
      connected: connection => observer.connected(connection.in(pool)),
      failed: fault => observer.failed(fault),
    });
    return { giveUp: () => giveUp() && this.context.knowsCongestion };
  }

  private poolOf(process: SimProcess, url: string): OriginPool<SimConnection> {
    const key = `${process.identity} ${new URL(url).origin}`;
    const known = this.pools.get(key);
    if (known) return known;
    const create = () => new SimConnection(done => this.dial(url, process, done));
    const dialing = this.dialing.get(process.identity) ?? { count: 0 };
    this.dialing.set(process.identity, dialing);
    const pool = new OriginPool<SimConnection>({
      clock: process,
      create,
      dialing,
      isSlow: false,
      onSlow: () => undefined,
      onLeft: () => undefined,
    });
    this.pools.set(key, pool);
    return pool;
  }

  private dial(url: string, process: SimProcess, done: (fault?: DialFault) => void): void {
    const fate = this.fateOf({ url, onFreshSocket: false });
    const connectMs = this.connectMs(url);
    if (fate.kind === 'failure' && !fate.isSent)
      process.arrives(connectMs + fate.afterMs, () =>
        done({ code: fate.code, isOurs: fate.isOurs && this.context.isOurFault, isTimeout: false }),
      );
    else if (connectMs > dialMsMax) process.arrives(dialMsMax, () => done({ code: 'ETIMEDOUT', isOurs: false, isTimeout: true }));
    else process.arrives(connectMs, () => done());
  }

  /** How long a connection that begins now takes. */
  private connectMs(url: string): number {
    if (!url.startsWith(coldMerchant.origin)) return between(this.context, 1, 30);
    const { nowMs } = this.context.timeline;
    const doneMs = Math.max(nowMs, this.handshakesDoneMs.get(coldMerchant.origin) ?? 0) + handshakeMs;
    this.handshakesDoneMs.set(coldMerchant.origin, doneMs);
    return doneMs - nowMs;
  }

  private post(
    request: WebhookRequest,
    observer: Observer,
    {
      process,
      epochOf,
      connection,
    }: { process: SimProcess; epochOf: (id: number) => number; connection: Connection | undefined },
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
    const line = connection instanceof SimConnection ? connection : undefined;
    const closed = () => this.count(post, -1);
    // A connection that answered serves another request, sometimes: a receiver may close it.
    const answered = () => {
      if (line && this.context.timeline.random.chance(0.5)) line.giveBack();
    };
    const exchange = new Exchange({ process, observer, post, transactionId, closed, answered, context: this.context });
    if (line) exchange.meet(leaving(this.fateOf(request)), 0);
    else exchange.meet(this.fateOf(request), this.connectMs(request.url));
    return { abort: () => exchange.abort() };
  }

  private count({ identity }: PostGhost, change: number): void {
    this.open.set(identity, (this.open.get(identity) ?? 0) + change);
  }

  private fateOf(request: Pick<WebhookRequest, 'url' | 'onFreshSocket'>): Fate {
    if (request.url.endsWith(sharedOrigin.silent.path)) return { kind: 'silence' };
    if (request.url.startsWith(coldMerchant.origin)) return { kind: 'answer', status: 200, afterMs: coldAnswerMs };
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

class SimConnection implements Connection, Pooled {
  readonly isUsable = true;
  private pool: OriginPool<SimConnection> | undefined;

  constructor(readonly connect: Pooled['connect']) {}

  in(pool: OriginPool<SimConnection>): this {
    this.pool = pool;
    return this;
  }

  giveBack(): void {
    this.pool!.keep(this);
  }

  destroy(): void {}
}

/** On an open connection the request leaves. */
function leaving(fate: Fate): Fate {
  return fate.kind === 'failure' ? { ...fate, isSent: true } : fate;
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
  /** With 200. */
  answered(): void;
  context: ReceiversContext;
}

/** One request on its way. */
class Exchange {
  private isOver = false;

  constructor(private readonly parts: ExchangeParts) {}

  /** `connectMs`: how long its connection takes. */
  meet(fate: Fate, connectMs: number): void {
    const { process } = this.parts;
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
      if (status === 200) this.parts.answered();
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
