import { webhookHeaders } from '@paycode/crypto';
import type { Route } from '@paycode/dto';
import type { CancelTimer, Clock } from '@paycode/service-runtime/timing';
import { type AttemptOutcome, type Connection, type Delivery, type PostUnderWay, versionOf } from '../deliveries/domain/delivery';
import { PostWindow, type PostWindowRules } from '../deliveries/domain/post-window';
import { type OwnLine, ownLineOf } from '../routes/route-cache';
import type { AckDeadlines } from './ack-deadlines';
import type { WebhookSealer } from './webhook-sealer';

/** Events of one request on the wire, in order; exactly one of `answered` and `failed` ends it. */
export interface PostObserver {
  /** The last byte of the request was handed to the socket (P-T1, A-05). */
  sent(): void;
  /** The final status line and headers are parsed; interim 1xx never come here. */
  answered(status: number): void;
  failed(fault: PostFault): void;
}

export interface PostFault {
  code: string;
  /** EMFILE, EADDRNOTAVAIL, EAI_AGAIN, … (P-T8). */
  isOurs: boolean;
  /** The pooled socket had served before and not one byte of the answer arrived (P-T7). */
  isStaleSocket: boolean;
}

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Use no pooled socket (P-T7). */
  onFreshSocket: boolean;
  /** Use the merchant's own connections alone. */
  own?: OwnLine | undefined;
}

/** The end of a wait for a connection: exactly one of both is called, not before `connect` has returned. */
export interface ConnectObserver {
  connected(connection: Connection): void;
  failed(fault: Pick<PostFault, 'code' | 'isOurs'>): void;
}

/** A wait for a connection. */
export interface Connecting {
  /** Ends the wait. Returns whether congestion of ours may have caused it: then its length says nothing about the receiver (P-T8). */
  giveUp(): boolean;
}

/** Opens connections and sends POSTs. It handles sockets and knows no rules of the protocol. */
export abstract class WebhookPoster {
  /** A free connection to the endpoint of the URL, of the merchant's own ones where it has some; undefined: there is none. */
  abstract take(url: string, own?: OwnLine): Connection | undefined;

  /** Waits for a connection to the endpoint of the URL: a new one, or one that becomes free. */
  abstract connect(url: string, observer: ConnectObserver, own?: OwnLine): Connecting;

  /**
   * `done` fires when the socket is free or gone: at or after the end of the request. `connection`: the one to use. Without it the request
   * takes a free one or opens one, as it does when the given one has ended meanwhile.
   */
  abstract post(request: WebhookRequest, observer: PostObserver & { done(): void }, connection?: Connection): { abort(): void };
}

export interface PostOptions extends PostWindowRules {
  /** `User-Agent` of every request: product and version. */
  userAgent: string;
}

/** Why an endpoint cannot be reached: a fault of the receiver. */
export interface Unreachable {
  code: string;
}

/** Flow, before the reversal is armed: a free connection, or a wait for one within the connect budget (A-05, P-T13). */
export class ConnectFirst {
  constructor(
    private readonly poster: WebhookPoster,
    private readonly deadlines: AckDeadlines,
    private readonly clock: Clock,
    private readonly options: Pick<PostOptions, 'connectBudgetMs'>,
  ) {}

  /** A free connection at once, so that a delivery that need not wait does not. The promise rejects for a fault of the platform (P-T8). */
  to(route: Route): Connection | Promise<Connection | Unreachable> {
    const own = ownLineOf(route);
    return this.poster.take(route.url!, own) ?? this.opened(route.url!, own);
  }

  private opened(url: string, own: OwnLine | undefined): Promise<Connection | Unreachable> {
    return new Promise((resolve, reject) => {
      const observer: ConnectObserver = {
        connected: connection => {
          stopWatching();
          resolve(connection);
        },
        failed: ({ code, isOurs }) => {
          stopWatching();
          if (isOurs) reject(faultOfOurs(code));
          else resolve({ code });
        },
      };
      const connecting = this.poster.connect(url, observer, own);
      const stopWatching = this.deadlines.watch(this.clock.nowMs() + this.options.connectBudgetMs, () => {
        if (connecting.giveUp()) reject(faultOfOurs('CONNECT_CONGESTED'));
        else resolve({ code: 'CONNECT_BUDGET' });
      });
    });
  }
}

function faultOfOurs(code: string): Error {
  return Object.assign(new Error(`no connection by a fault of the platform: ${code}`), { code });
}

/** Flow: open the payload -> encrypt it for the route -> POST -> watch the time limits; resolves to how the attempt ended. */
export class PostWebhook {
  constructor(
    private readonly poster: WebhookPoster,
    private readonly sealer: WebhookSealer,
    private readonly deadlines: AckDeadlines,
    private readonly clock: Clock,
    private readonly options: PostOptions,
  ) {}

  /**
   * Starts the request before it returns. The route must have a URL, its lease must be valid now (P-I11), and so must `mayPost` (P-T6).
   * `connection`: an open one to the endpoint of the route; without it, the request opens one.
   */
  start(delivery: Delivery, route: Route, around: Pick<PostContext, 'mayPost' | 'connection'>): PostUnderWay {
    let request: WebhookRequest;
    try {
      request = this.requestFor(delivery, route);
    } catch (error) {
      // The payload or the key cannot be decrypted: a fault of the platform's settings, not of the receiver (P-T8).
      const code = (error as { code?: string }).code ?? 'SEALING';
      around.connection?.giveBack();
      return { outcome: Promise.resolve({ kind: 'OUR_FAULT', code, isSent: false }), freed: Promise.resolve() };
    }
    const window = new PostWindow(this.options, this.clock.nowMs());
    const { poster, deadlines, clock } = this;
    return PostAttempt.start(request, window, { poster, deadlines, clock, ...around });
  }

  private requestFor(delivery: Delivery, route: Route): WebhookRequest {
    const { transactionId, attempt, payload } = delivery;
    // The claim has fixed it, whatever the route says by now.
    const version = delivery.version ?? versionOf(delivery, route);
    const { body, ...sealed } = this.sealer.bodyOf({ payload, version }, route);
    const facts = { transactionId, attempt, ...sealed, epochMs: this.clock.epochMs() };
    const headers = { ...this.sealer.credentialOf(route), ...webhookHeaders(facts), 'user-agent': this.options.userAgent };
    return { url: route.url!, body, onFreshSocket: false, headers, own: ownLineOf(route) };
  }
}

export interface PostContext {
  poster: WebhookPoster;
  deadlines: AckDeadlines;
  clock: Clock;
  /** Whether this replica may start a POST of the delivery now (P-T6). */
  mayPost: () => boolean;
  /** For the first request; its repetition opens another one (P-T7). */
  connection?: Connection | undefined;
}

/** One attempt in progress: it reports events of the connection to its window, and aborts the request when the window ends. */
export class PostAttempt {
  private readonly outcome = Promise.withResolvers<AttemptOutcome>();
  private readonly freed = Promise.withResolvers<void>();
  private cancelDeadline: CancelTimer | undefined;
  /** The request on the wire: the first, or its repetition. */
  private wire: { abort(): void } | undefined;

  private constructor(
    private readonly request: WebhookRequest,
    private readonly window: PostWindow,
    private readonly context: PostContext,
  ) {}

  /** Hands the request to the wire before it returns. */
  static start(request: WebhookRequest, window: PostWindow, context: PostContext): PostUnderWay {
    const attempt = new PostAttempt(request, window, context);
    attempt.watch();
    attempt.send(request, context.connection);
    return { outcome: attempt.outcome.promise, freed: attempt.freed.promise };
  }

  private send(request: WebhookRequest, connection?: Connection): void {
    let isRepeated = false;
    const observer: PostObserver & { done(): void } = {
      sent: () => {
        this.window.sent(this.context.clock.nowMs());
        this.watch();
      },
      answered: status => this.end(this.window.answered(status, this.context.clock.nowMs())),
      failed: fault => (isRepeated = this.failed(fault)),
      done: () => {
        if (!isRepeated) this.freed.resolve();
      },
    };
    this.wire = this.context.poster.post(request, observer, connection);
  }

  /** Returns whether the request is repeated. */
  private failed(fault: PostFault): boolean {
    const next = this.window.failed(fault, this.context.clock.nowMs(), this.context.mayPost());
    if (next === 'repeat') this.send({ ...this.request, onFreshSocket: true });
    else this.end(next);
    return next === 'repeat';
  }

  private watch(): void {
    this.cancelDeadline?.();
    if (this.window.isEnded) return;
    this.cancelDeadline = this.context.deadlines.watch(this.window.dueMs, () => {
      this.end(this.window.expired(this.context.clock.nowMs()));
      this.wire?.abort();
    });
  }

  private end(outcome: AttemptOutcome | undefined): void {
    if (!outcome) return;
    this.cancelDeadline?.();
    this.outcome.resolve(outcome);
  }
}
